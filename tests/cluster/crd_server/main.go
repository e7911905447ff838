// An API server whose CRDs and custom resources are those of a new Kubernetes, and whose namespaces,
// rights and logins are those of an older kube-apiserver behind it.
//
// Debian has the library that kube-apiserver serves CRDs with (k8s.io/apiextensions-apiserver), in sid,
// but the rest of kube-apiserver no more. What this server does not know it passes on,
// in the name of the user who asks.
//
//	crd_server --kubeconfig=BACK --authentication-kubeconfig=BACK --authorization-kubeconfig=BACK
//	    --etcd-servers=... --secure-port=... (and the other flags of apiextensions-apiserver)
//
// BACK must log in as one who may impersonate anybody.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/version/verflag"
)

// crds is the group that the server behind knows too, in older versions, and that must not be seen.
const crds = "apiextensions.k8s.io"

const aggregatedForm = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// passOn returns a handler that asks the server behind in the name of the request's user.
func passOn(back *rest.Config) (http.Handler, error) {
	transport, err := rest.TransportFor(back)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(back.Host)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // a watch
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Authorization")
			if user, ok := request.UserFrom(r.In.Context()); ok {
				r.Out.Header.Set("Impersonate-User", user.GetName())
				r.Out.Header["Impersonate-Group"] = user.GetGroups()
			}
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path+"/", "/apis/"+crds+"/") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}), nil
}

// addResources makes what the server behind has part of the aggregated discovery document.
func addResources(back *rest.Config, core, named aggregated.ResourceManager) error {
	client, err := discovery.NewDiscoveryClientForConfig(back)
	if err != nil {
		return err
	}
	client.UseLegacyDiscovery = true
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		if gv.Group == crds {
			continue
		}
		resources, err := endpoints.ConvertGroupVersionIntoToDiscovery(list.APIResources)
		if err != nil {
			return err
		}
		manager := named
		if gv.Group == "" {
			manager = core
		}
		manager.AddGroupVersion(gv.Group, apidiscovery.APIVersionDiscovery{
			Version: gv.Version, Freshness: apidiscovery.DiscoveryFreshnessCurrent, Resources: resources})
	}
	return nil
}

// plainGroups returns a handler of /apis for clients that ask for no aggregated document: the groups of that one.
func plainGroups(document http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := r.Clone(r.Context())
		inner.Header = http.Header{"Accept": {aggregatedForm}}
		recorder := httptest.NewRecorder()
		document.ServeHTTP(recorder, inner)
		var found apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(recorder.Body.Bytes(), &found); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
		for _, item := range found.Items {
			group := metav1.APIGroup{Name: item.Name}
			for _, v := range item.Versions {
				group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{
					GroupVersion: item.Name + "/" + v.Version, Version: v.Version})
			}
			group.PreferredVersion = group.Versions[0]
			list.Groups = append(list.Groups, group)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list)
	})
}

func run(ctx context.Context, o *options.CustomResourceDefinitionsServerOptions) error {
	back, err := clientcmd.BuildConfigFromFlags("", o.RecommendedOptions.CoreAPI.CoreAPIKubeconfigPath)
	if err != nil {
		return err
	}
	behind, err := passOn(back)
	if err != nil {
		return err
	}
	config, err := o.Config()
	if err != nil {
		return err
	}
	// The server options leave it out, and without it there is no document of the CRDs either.
	config.GenericConfig.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(
		openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions),
		openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme))
	config.GenericConfig.OpenAPIConfig.Info.Title = "Kubernetes"
	named := aggregated.NewResourceManager("apis")
	config.GenericConfig.AggregatedDiscoveryGroupManager = named
	core := aggregated.NewResourceManager("api")
	if err := addResources(back, core, named.WithSource(aggregated.BuiltinSource)); err != nil {
		return err
	}
	groups := aggregated.WrapAggregatedDiscoveryToHandler(plainGroups(named), named, nil)
	versions := aggregated.WrapAggregatedDiscoveryToHandler(behind, core, nil)
	unknown := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimSuffix(r.URL.Path, "/") {
		case "/apis":
			groups.ServeHTTP(w, r)
		case "/api":
			versions.ServeHTTP(w, r)
		default:
			behind.ServeHTTP(w, r)
		}
	})
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegateWithCustomHandler(unknown))
	if err != nil {
		return err
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(ctx)
}

func main() {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	command := &cobra.Command{
		Use:          "crd_server",
		SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return o.ServerRunOptions.ComponentGlobalsRegistry.Set()
		},
		RunE: func(c *cobra.Command, _ []string) error {
			verflag.PrintAndExitIfRequested()
			if err := o.Complete(); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return run(c.Context(), o)
		},
	}
	command.SetContext(genericapiserver.SetupSignalContext())
	o.AddFlags(command.Flags())
	verflag.AddFlags(command.Flags())
	os.Exit(cli.Run(command))
}
