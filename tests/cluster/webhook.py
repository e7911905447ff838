"""Webhooks for the test cluster: of admission and of conversion."""
import http.server
import json
import ssl
import threading

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


def configuration(cluster, name, subject, url):
    """Returns a ValidatingWebhookConfiguration for updates of a subject's objects."""
    authority = json.loads(cluster.kubeconfig())["clusters"][0]["cluster"]
    rule = {"apiGroups": [subject.group], "apiVersions": ["*"], "resources": [subject.plural],
            "operations": ["UPDATE"]}
    return {"metadata": {"name": name}, "webhooks": [{
        "name": f"{name}.example.com", "rules": [rule], "failurePolicy": "Fail",
        "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 5,
        "clientConfig": {"url": url, "caBundle": authority["certificate-authority-data"]}}]}


class Listener:
    """Answers what is posted to `url` by answer(review), while its `with` block lasts."""

    def __init__(self, cluster):
        self._cluster = cluster
        self.asked = 0

    def __enter__(self):
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                webhook.asked += 1
                text = json.dumps(webhook.answer(review)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._cluster.certificates.serving)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}/"
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def authority(self):
        """Its CA, as a caBundle has it."""
        clusters = json.loads(self._cluster.kubeconfig())["clusters"]
        return clusters[0]["cluster"]["certificate-authority-data"]

    def answer(self, review):
        raise NotImplementedError


class ConversionWebhook(Listener):
    """Converts objects by convert(object, apiVersion), which returns the object, or None for an error."""

    def __init__(self, cluster, convert):
        super().__init__(cluster)
        self.convert = convert

    def conversion(self):
        """The `conversion` of a CRD."""
        return {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"url": self.url, "caBundle": self.authority()}}}

    def answer(self, review):
        request = review["request"]
        version = request["desiredAPIVersion"]
        converted = [self.convert({**one, "apiVersion": version}, version) for one in request["objects"]]
        response = {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}
        if None in converted:
            response = {"uid": request["uid"], "convertedObjects": [],
                        "result": {"status": "Failure", "message": "cannot convert on a Saturday"}}
        return {"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}


class Webhook(Listener):
    """Asks `allows(object)` of every object that is updated, while its `with` block lasts."""

    def __init__(self, cluster, name, subject, allows):
        super().__init__(cluster)
        self._name, self._subject = name, subject
        self._allows = allows

    def __enter__(self):
        super().__enter__()
        api = self._cluster.api()
        api.post(CONFIGURATIONS, configuration(self._cluster, self._name, self._subject, self.url))
        api.close()
        return self

    def __exit__(self, *_):
        api = self._cluster.api()
        api.delete(f"{CONFIGURATIONS}/{self._name}")
        api.close()
        super().__exit__()

    def answer(self, review):
        request = review["request"]
        response = {"uid": request["uid"], "allowed": self._allows(request["object"])}
        if not response["allowed"]:
            response["status"] = {"code": 403, "message": "not on a Saturday"}
        return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response}
