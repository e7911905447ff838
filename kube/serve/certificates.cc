#include "kube/serve/certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <utility>

#include "kube/base/result.h"
#include "kube/go/go_time.h"
#include "kube/serve/tls_context.h"
#include "kube/serve/tls_files.h"

namespace kube::serve {
namespace {

template <auto free_function>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Name = std::unique_ptr<GENERAL_NAME, Free<GENERAL_NAME_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Store = std::unique_ptr<X509_STORE, Free<X509_STORE_free>>;
using Verification = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;

constexpr std::chrono::minutes kClockDifference{5};
constexpr int kSerialBytes = 16;

/// The last thing that OpenSSL found wrong; forgets all of it, so that no later call takes it for
/// its own.
std::string TakeCause() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "OpenSSL does not say why" : reason;
}

/// Has OpenSSL read no configuration: in the self-contained binary it would be that of another
/// system.
void PrepareOpenSsl() { OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr); }

/// For what fails only without memory or randomness.
template <typename T>
T Made(T object) {
  if (!object) throw base::Error("cannot make a certificate: " + TakeCause());
  return object;
}
void Must(int result) { Made(result > 0); }

Key MakeKey() { return Made(Key(EVP_EC_gen("P-256"))); }

std::string TakeText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string PemOf(X509* certificate) {
  const Bio bio = Made(Bio(BIO_new(BIO_s_mem())));
  Must(PEM_write_bio_X509(bio.get(), certificate));
  return TakeText(bio.get());
}

std::string PemOf(EVP_PKEY* key) {
  const Bio bio = Made(Bio(BIO_new(BIO_s_mem())));
  Must(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr));
  return TakeText(bio.get());
}

void SetSerial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> bytes{};
  Must(RAND_bytes(bytes.data(), kSerialBytes));
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7F) | 0x40);  // positive, and never shorter
  const Number number = Made(Number(BN_bin2bn(bytes.data(), kSerialBytes, nullptr)));
  Made(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

void SetTimes(X509* certificate, TimePoint now, std::chrono::seconds validity) {
  const auto to_time = [](TimePoint point) { return std::chrono::system_clock::to_time_t(point); };
  Made(ASN1_TIME_set(X509_getm_notBefore(certificate), to_time(now - kClockDifference)) != nullptr);
  Made(ASN1_TIME_set(X509_getm_notAfter(certificate), to_time(now + validity)) != nullptr);
}

void SetCommonName(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto add = [subject](const char* field, const std::string& text) {
    Must(X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0));
  };
  add("O", "kubectl-prune");
  add("CN", name);
}

void AddExtension(X509* certificate, X509* issuer, int identifier, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension =
      Made(Extension(X509V3_EXT_conf_nid(nullptr, &context, identifier, value)));
  Must(X509_add_ext(certificate, extension.get(), -1));
}

/// All but extensions, issuer and signature.
Certificate MakeUnsigned(EVP_PKEY* key, const std::string& common_name, TimePoint now,
                         std::chrono::seconds validity) {
  Certificate certificate = Made(Certificate(X509_new()));
  Must(X509_set_version(certificate.get(), X509_VERSION_3));
  SetSerial(certificate.get());
  SetTimes(certificate.get(), now, validity);
  SetCommonName(certificate.get(), common_name);
  Must(X509_set_pubkey(certificate.get(), key));
  return certificate;
}

void SignAs(X509* issuer, EVP_PKEY* key, X509* certificate) {
  Must(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)));
  AddExtension(certificate, issuer, NID_subject_key_identifier, "hash");
  AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid:always");
  Must(X509_sign(certificate, key, EVP_sha256()));
}

Certificate MakeAuthority(EVP_PKEY* key, TimePoint now, std::chrono::seconds validity) {
  Certificate authority = MakeUnsigned(key, "kubectl-prune CA", now, validity);
  AddExtension(authority.get(), authority.get(), NID_basic_constraints,
               "critical,CA:TRUE,pathlen:0");
  AddExtension(authority.get(), authority.get(), NID_key_usage, "critical,keyCertSign");
  SignAs(authority.get(), key, authority.get());
  return authority;
}

/// The bytes of an IP address, in the order of the network; empty: it is none.
std::string AddressBytes(const std::string& text) {
  std::array<char, sizeof(in6_addr)> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return {bytes.data(), sizeof(in_addr)};
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) {
    return {bytes.data(), sizeof(in6_addr)};
  }
  return "";
}

bool IsUnspecified(const std::string& address) {
  return !address.empty() &&
         std::all_of(address.begin(), address.end(), [](char c) { return c == 0; });
}

void AddName(GENERAL_NAMES* names, int type, const std::string& value) {
  Name name = Made(Name(GENERAL_NAME_new()));
  ASN1_STRING* text =
      Made(ASN1_STRING_type_new(type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING));
  GENERAL_NAME_set0_value(name.get(), type, text);
  Must(ASN1_STRING_set(text, value.data(), static_cast<int>(value.size())));
  Must(sk_GENERAL_NAME_push(names, name.get()));
  (void)name.release();
}

bool IsHostName(const std::string& name) {
  constexpr std::size_t kMaxBytes = 253;  // of RFC 1035
  return !name.empty() && name.size() <= kMaxBytes &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

/// Returns the first name.
std::string SetNames(X509* certificate, const std::vector<std::string>& names) {
  const Names all = Made(Names(GENERAL_NAMES_new()));
  std::string first;
  for (const std::string& name : names) {
    const std::string address = AddressBytes(name);
    if (IsUnspecified(address)) continue;
    if (!IsHostName(name)) {
      throw base::Error("cannot make a certificate for \"" + name + "\": it is no name of a host");
    }
    if (!address.empty()) AddName(all.get(), GEN_IPADD, address);
    AddName(all.get(), GEN_DNS, name);
    if (first.empty()) first = name;
  }
  if (first.empty()) throw base::Error("cannot make a certificate: there is no name for it");
  Must(X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, 0));
  return first;
}

Certificate MakeOfServer(EVP_PKEY* key, const std::vector<std::string>& names, TimePoint now,
                         std::chrono::seconds validity) {
  Certificate certificate = MakeUnsigned(key, "kubectl-prune", now, validity);
  SetNames(certificate.get(), names);
  return certificate;
}

/// Never asks a terminal: without it OpenSSL would.
int GivePassword(char* buffer, int size, int, void* user) {
  const auto& password = *static_cast<const std::string*>(user);
  if (password.empty() || password.size() > static_cast<std::size_t>(size)) return -1;
  std::memcpy(buffer, password.data(), password.size());
  return static_cast<int>(password.size());
}

Bio Reader(std::string_view text) {
  return Made(Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))));
}

/// The next certificate; null pointer at the end, and where it cannot be read.
Certificate NextCertificate(BIO* bio) {
  std::string none;
  return Certificate(PEM_read_bio_X509(bio, nullptr, GivePassword, &none));
}

/// False: something other than the end of the text was the reason to stop.
bool IsAtEnd() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

std::string Utf8(const ASN1_STRING* text) {
  unsigned char* data = nullptr;
  const int size = ASN1_STRING_to_UTF8(&data, text);
  if (size < 0) return "";
  std::string copy(reinterpret_cast<char*>(data), static_cast<std::size_t>(size));
  OPENSSL_free(data);
  return copy;
}

std::vector<std::string> PartsOf(const X509_NAME* name, int identifier) {
  std::vector<std::string> parts;
  int at = -1;
  while ((at = X509_NAME_get_index_by_NID(name, identifier, at)) >= 0) {
    parts.push_back(Utf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
  }
  return parts;
}

std::string TextOf(const X509_NAME* name) {
  const Bio bio = Made(Bio(BIO_new(BIO_s_mem())));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return TakeText(bio.get());
}

CertificateName NameOf(const X509_NAME* name) {
  const std::vector<std::string> common_names = PartsOf(name, NID_commonName);
  // Of several the last is the most specific, which Go's crypto/x509 takes as well.
  return {.text = TextOf(name),
          .common_name = common_names.empty() ? "" : common_names.back(),
          .organizations = PartsOf(name, NID_organizationName)};
}

// As `openssl x509 -serial`.
std::string SerialNumberOf(const X509* certificate) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const ASN1_INTEGER* number = X509_get0_serialNumber(certificate);
  const unsigned char* bytes = ASN1_STRING_get0_data(number);
  std::string text = ASN1_STRING_type(number) == V_ASN1_NEG_INTEGER ? "-" : "";
  for (int i = 0; i < ASN1_STRING_length(number); ++i) {
    text += kDigits[bytes[i] / 16];
    text += kDigits[bytes[i] % 16];
  }
  return text;
}

std::chrono::sys_seconds TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
}

std::string AddressText(const ASN1_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int size = ASN1_STRING_length(address);
  const int family = size == static_cast<int>(sizeof(in_addr)) ? AF_INET : AF_INET6;
  if (family == AF_INET6 && size != static_cast<int>(sizeof(in6_addr))) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size());
  return text.data();
}

void ReadNames(const X509* certificate, CertificateFacts& facts) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int type = 0;
    const auto* value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type));
    if (type == GEN_DNS) facts.dns_names.push_back(Utf8(value));
    if (type == GEN_IPADD) facts.ip_addresses.push_back(AddressText(value));
    if (type == GEN_URI) facts.uris.push_back(Utf8(value));
    if (type == GEN_EMAIL) facts.email_addresses.push_back(Utf8(value));
  }
}

CertificateFacts FactsOf(const X509* certificate) {
  CertificateFacts facts;
  facts.subject = NameOf(X509_get_subject_name(certificate));
  facts.issuer = NameOf(X509_get_issuer_name(certificate));
  facts.serial_number = SerialNumberOf(certificate);
  facts.valid_from = TimeOf(X509_get0_notBefore(certificate));
  facts.valid_until = TimeOf(X509_get0_notAfter(certificate));
  ReadNames(certificate, facts);
  ERR_clear_error();
  return facts;
}

void FreeAll(STACK_OF(X509) * certificates) { sk_X509_pop_free(certificates, X509_free); }
using Certificates = std::unique_ptr<STACK_OF(X509), Free<FreeAll>>;

/// Those that can be read, as Go's AppendCertsFromPEM.
Certificates AllOf(std::string_view pem) {
  Certificates all = Made(Certificates(sk_X509_new_null()));
  const Bio bio = Reader(pem);
  for (bool is_at_end = false; !is_at_end;) {
    ERR_clear_error();
    Certificate next = NextCertificate(bio.get());
    is_at_end = !next && IsAtEnd();
    if (!next) continue;
    Must(sk_X509_push(all.get(), next.get()));
    (void)next.release();
  }
  ERR_clear_error();
  return all;
}

std::string TextOf(std::chrono::sys_seconds time) {
  return go::FormatGoTime({time.time_since_epoch().count(), 0});
}

/// Whether `certificates`, of which the first is the server's, lead to `root`, which need not have
/// signed itself.
bool AreLedTo(STACK_OF(X509) * certificates, X509* root, std::chrono::sys_seconds now) {
  const Store store = Made(Store(X509_STORE_new()));
  Must(X509_STORE_add_cert(store.get(), root));
  const Verification verification = Made(Verification(X509_STORE_CTX_new()));
  Must(X509_STORE_CTX_init(verification.get(), store.get(), sk_X509_value(certificates, 0),
                           certificates));
  X509_STORE_CTX_set_flags(verification.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_CTX_set_time(verification.get(), 0, now.time_since_epoch().count());
  const bool are_led = X509_verify_cert(verification.get()) == 1;
  ERR_clear_error();
  return are_led;
}

/// One after the other: of two of one name OpenSSL would try the first alone.
bool AreLedToAny(STACK_OF(X509) * certificates, std::string_view authorities,
                 std::chrono::sys_seconds now) {
  const Certificates roots = AllOf(authorities);
  for (int i = 0; i < sk_X509_num(roots.get()); ++i) {
    if (AreLedTo(certificates, sk_X509_value(roots.get(), i), now)) return true;
  }
  return false;
}

/// By its extended key usage; without one it is for all.
bool IsForServers(X509* certificate) {
  return (X509_get_extended_key_usage(certificate) & (XKU_SSL_SERVER | XKU_ANYEKU)) != 0;
}

/// `the key "tls.key"`, or without a file `the key`.
std::string Named(std::string_view thing, const std::string& file) {
  std::string text = "the " + std::string(thing);
  return file.empty() ? text : text + " \"" + file + "\"";
}

[[noreturn]] void RefuseMaterial(std::string_view thing, const std::string& file,
                                 const std::string& cause) {
  ERR_clear_error();
  throw base::Error("cannot use " + Named(thing, file) + ": " + cause);
}

void UseCertificate(SSL_CTX* context, const TlsMaterial& material) {
  const auto refuse = [&](const std::string& cause) {
    RefuseMaterial("certificate", material.certificate_file, cause);
  };
  const Bio bio = Reader(material.certificate_pem);
  const Certificate own = NextCertificate(bio.get());
  if (!own) refuse(IsAtEnd() ? "there is no certificate in it, as PEM" : TakeCause());
  if (SSL_CTX_use_certificate(context, own.get()) != 1) refuse(TakeCause());
  while (Certificate next = NextCertificate(bio.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) refuse(TakeCause());
  }
  if (!IsAtEnd()) refuse(TakeCause());
  ERR_clear_error();
}

// OpenSSL says "unsupported" of whatever is no key.
std::string CauseOfKey(const TlsMaterial& material) {
  const std::string& pem = material.key_pem;
  if (pem.find("PRIVATE KEY-----") == pem.npos) return "there is no private key in it, as PEM";
  if (pem.find("ENCRYPTED") == pem.npos) return "it cannot be read";
  return material.key_password.empty() ? "it is encrypted: give its password"
                                       : "it is encrypted, and the password does not fit";
}

void UseKey(SSL_CTX* context, const TlsMaterial& material) {
  const auto refuse = [&](const std::string& cause) {
    RefuseMaterial("key", material.key_file, cause);
  };
  const Bio bio = Reader(material.key_pem);
  std::string password = material.key_password;
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, GivePassword, &password));
  if (!key) refuse(CauseOfKey(material));
  // It is compared with the certificate that is there.
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    refuse("it is not that of " + Named("certificate", material.certificate_file));
  }
}

void TrustAuthorities(SSL_CTX* context, const TlsMaterial& material) {
  const auto refuse = [&](const std::string& cause) {
    RefuseMaterial("certificate of the authority of clients", material.client_ca_file, cause);
  };
  const Bio bio = Reader(material.client_ca_pem);
  int count = 0;
  for (; Certificate authority = NextCertificate(bio.get()); ++count) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      refuse(TakeCause());
    }
  }
  if (!IsAtEnd()) refuse(TakeCause());
  if (count == 0) refuse("there is no certificate in it, as PEM");
  ERR_clear_error();
}

void AskClients(SSL_CTX* context, const TlsMaterial& material) {
  if (material.client_certificates == ClientCertificates::kNone) return;
  TrustAuthorities(context, material);
  const bool is_required = material.client_certificates == ClientCertificates::kRequired;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
}

/// Of what a client speaks we take HTTP/1.1. One that does not offer it may still speak it.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned int offered_size, void*) {
  constexpr std::string_view kOurs = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(kOurs.data()),
                            static_cast<unsigned int>(kOurs.size()), offered, offered_size);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

void SetProtocol(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  // Sessions are resumed by tickets, which the client keeps; without a name of their own those with
  // a certificate of the client would be refused.
  constexpr std::string_view kSessions = "kubectl-prune";
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(kSessions.data()),
                                 static_cast<unsigned int>(kSessions.size()));
}

}  // namespace

SelfSigned MakeSelfSigned(const std::vector<std::string>& names, TimePoint now,
                          std::chrono::seconds validity) {
  PrepareOpenSsl();
  const Key authority_key = MakeKey();
  const Key key = MakeKey();
  const Certificate authority = MakeAuthority(authority_key.get(), now, validity);
  const Certificate certificate = MakeOfServer(key.get(), names, now, validity);
  AddExtension(certificate.get(), authority.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(certificate.get(), authority.get(), NID_key_usage, "critical,digitalSignature");
  AddExtension(certificate.get(), authority.get(), NID_ext_key_usage, "serverAuth");
  SignAs(authority.get(), authority_key.get(), certificate.get());
  return {PemOf(authority.get()), PemOf(certificate.get()), PemOf(key.get())};
}

std::optional<CertificateFacts> ReadCertificate(std::string_view pem) {
  PrepareOpenSsl();
  const Bio bio = Reader(pem);
  const Certificate certificate = NextCertificate(bio.get());
  ERR_clear_error();
  if (!certificate) return std::nullopt;
  return FactsOf(certificate.get());
}

std::string WhyRefused(std::string_view certificate, std::string_view authorities, TimePoint now) {
  PrepareOpenSsl();
  const auto facts = ReadCertificate(certificate);
  if (!facts) return "it cannot be read";
  const auto time = std::chrono::floor<std::chrono::seconds>(now);
  if (time > facts->valid_until) return "it expired at " + TextOf(facts->valid_until);
  if (time + kClockDifference < facts->valid_from) {
    return "it is not valid before " + TextOf(facts->valid_from);
  }
  const Certificates all = AllOf(certificate);
  if (!IsForServers(sk_X509_value(all.get(), 0)))
    return "it is not for servers (extended key usage)";
  const auto verified_at = std::max(time, facts->valid_from);
  if (authorities.empty() || AreLedToAny(all.get(), authorities, verified_at)) return "";
  return "the authorities by which it is verified have not signed it";
}

HandshakeFailure FailureOf(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return HandshakeFailure::kOther;
  switch (ERR_GET_REASON(code)) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return HandshakeFailure::kRefused;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return HandshakeFailure::kNoClientCertificate;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return HandshakeFailure::kClientCertificate;
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNKNOWN_PROTOCOL:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_WRONG_VERSION_NUMBER:
      return HandshakeFailure::kNotTls;
    default:
      return HandshakeFailure::kOther;
  }
}

void* MakeServerContext(const TlsMaterial& material) {
  PrepareOpenSsl();
  ERR_clear_error();
  Context context = Made(Context(SSL_CTX_new(TLS_server_method())));
  SetProtocol(context.get());
  UseCertificate(context.get(), material);
  UseKey(context.get(), material);
  AskClients(context.get(), material);
  return context.release();
}

void CheckTls(const TlsMaterial& material) {
  const Context context(static_cast<SSL_CTX*>(MakeServerContext(material)));
}

std::shared_ptr<const CertificateFacts> PeerOf(void* ssl) {
  const Certificate certificate(SSL_get1_peer_certificate(static_cast<SSL*>(ssl)));
  if (!certificate) return nullptr;
  return std::make_shared<const CertificateFacts>(FactsOf(certificate.get()));
}

std::string Sha256(std::string_view bytes) {
  PrepareOpenSsl();
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw base::Error("cannot make a hash: " + TakeCause());
  return {hash.begin(), hash.end()};
}

}  // namespace kube::serve
