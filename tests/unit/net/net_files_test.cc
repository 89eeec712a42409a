// The files of keys and certificates: which are refused, in what words, before anything is opened.
#include "net_support.h"

#ifdef GLS_TEST_PLUGINS
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <regex>

#include "net_certificates.h"

namespace gls::net {
namespace {

std::string refused(const Security& security) {
  EndpointOptions options = options_for("plain");
  options.transport.security = security;
  options.listen = "127.0.0.1:0";
  Result<std::unique_ptr<Endpoint>> made = Endpoint::create(make_context(), std::move(options));
  if (made.ok()) {
    return "not refused";
  }
  EXPECT_EQ(made.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(*made.status().detail("argument"), "security");
  return made.status().message();
}

class NetFiles : public testing::Test {
 protected:
  struct File {
    std::string Security::*path;
    std::string setting;
    std::string what;
  };
  static std::vector<File> files() {
    return {{&Security::psk_file, "net.key_file", "key file"},
            {&Security::certificate_file, "net.certificate_file", "certificate file"},
            {&Security::key_file, "net.certificate_key_file", "private key file"},
            {&Security::ca_file, "net.ca_file", "CA file"}};
  }

  Security certificates() const {
    Security security;
    security.certificate_file = write_file("own.pem", own_.pem());
    security.key_file = write_file("own.key", own_.key_pem());
    security.ca_file = write_file("ca.pem", ca_.pem());
    return security;
  }
  Security with(const File& file, const std::string& path) const {
    Security security;
    if (file.path != &Security::psk_file) {
      security = certificates();
    }
    security.*file.path = path;
    return security;
  }

  const Certificate ca_{"GLS test CA", nullptr, ""};
  const Certificate own_{"own", &ca_, "IP:127.0.0.1"};
};

TEST_F(NetFiles, AreGood) {
  EXPECT_EQ(refused(certificates()), "not refused");
  Security chain = certificates();
  chain.certificate_file = write_file("chain.pem", own_.pem() + ca_.pem());
  EXPECT_EQ(refused(chain), "not refused");
}

TEST_F(NetFiles, ThatAreMissingAreNamed) {
  for (const File& file : files()) {
    EXPECT_EQ(refused(with(file, "/nowhere/x")), file.setting + ": cannot read " + file.what +
                                                     " /nowhere/x: No such file or directory");
  }
}

// None of these makes anybody wait, as for a process that writes to a pipe.
TEST_F(NetFiles, ThatAreNoFilesAreRefused) {
  const std::string pipe = test_folder() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const File& file : files()) {
    EXPECT_EQ(refused(with(file, pipe)), file.setting + ": " + file.what + " " + pipe +
                                             " is a named pipe, expected a regular file");
    EXPECT_TRUE(contains(refused(with(file, test_folder())), " is a directory, expected"));
    EXPECT_TRUE(contains(refused(with(file, "/dev/zero")), " is a device, expected"));
  }
}

TEST_F(NetFiles, OfSecretsThatOthersCanReadAreRefused) {
  const std::string shared = write_file("shared.key", kTestKey);
  const std::string own = certificates().key_file;
  for (const File& file : files()) {
    const bool is_psk = file.path == &Security::psk_file;
    if (!is_psk && file.path != &Security::key_file) {
      continue;
    }
    const std::string& path = is_psk ? shared : own;
    for (const mode_t mode : {0644, 0640, 0604, 0660, 0602}) {
      ::chmod(path.c_str(), mode);
      Security security = with(file, path);
      ::chmod(path.c_str(), mode);
      EXPECT_EQ(refused(security), file.setting + ": " + file.what + " " + path +
                                       formatted(" has mode {:04o}", mode) +
                                       ", so that it is open to others, expected 0600 or 0400; "
                                       "take their rights away: chmod 600 " +
                                       path);
    }
    for (const mode_t mode : {0600, 0400}) {
      Security security = with(file, path);
      ::chmod(path.c_str(), mode);
      EXPECT_EQ(refused(security), "not refused");
      ::chmod(path.c_str(), 0600);
    }
  }
  // Everybody may know a certificate.
  Security security = certificates();
  ::chmod(security.certificate_file.c_str(), 0644);
  ::chmod(security.ca_file.c_str(), 0644);
  EXPECT_EQ(refused(security), "not refused");
}

TEST_F(NetFiles, OfEncryptedKeysAskNobody) {
  Security security = certificates();
  security.key_file = write_file("encrypted.key", own_.encrypted_key_pem());
  const std::string text = refused(security);
  EXPECT_TRUE(contains(text, "net.certificate_key_file: private key file " + security.key_file +
                                 " is encrypted, expected a key without a passphrase"))
      << text;
  security = certificates();
  security.ca_file = security.certificate_file =
      write_file("encrypted.pem", own_.encrypted_key_pem());
  EXPECT_TRUE(contains(refused(security), "has no certificate in PEM")) << refused(security);
}

TEST_F(NetFiles, OfNothingUsefulAreNamed) {
  Security security = certificates();
  const std::string text = write_file("text", "no certificate");
  security.certificate_file = text;
  EXPECT_TRUE(contains(refused(security),
                       "net.certificate_file: certificate file " + text + " has no certificate"));
  security = certificates();
  security.key_file = text;
  EXPECT_TRUE(contains(refused(security), "net.certificate_key_file: private key file " + text +
                                              " has no private key in PEM"));
  security = certificates();
  security.ca_file = text;
  EXPECT_TRUE(contains(refused(security), "net.ca_file: CA file " + text + " has no certificate"));
  security = certificates();
  security.key_file = write_file("other.key", ca_.key_pem());
  EXPECT_TRUE(contains(refused(security), "is not of the certificate in "));
  security = certificates();
  const std::string pem = own_.pem();
  security.certificate_file = write_file("cut.pem", pem + pem.substr(0, pem.size() / 2) + "\n");
  EXPECT_TRUE(contains(refused(security), "is damaged behind certificate 1")) << refused(security);
}

TEST_F(NetFiles, OfCertificatesThatAreNotValidNow) {
  constexpr long kHour = 3600;
  const Certificate expired("old one", &ca_, "IP:127.0.0.1", -2 * kHour, -kHour);
  const Certificate early("early one", &ca_, "IP:127.0.0.1", kHour, 2 * kHour);
  const Certificate expired_ca("old CA", nullptr, "", -2 * kHour, -kHour);
  const auto of = [](const Certificate& certificate) {
    Security security;
    security.certificate_file = write_file("dated.pem", certificate.pem());
    security.key_file = write_file("dated.key", certificate.key_pem());
    return security;
  };
  Security security = of(expired);
  security.ca_file = write_file("ca.pem", ca_.pem());
  const std::regex dated(
      "net\\.certificate_file: certificate file .*dated\\.pem: the certificate \"CN = old one\" "
      "expired at [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC, expected one that is "
      "valid now");
  EXPECT_TRUE(std::regex_match(refused(security), dated)) << refused(security);
  security = of(early);
  security.ca_file = write_file("ca.pem", ca_.pem());
  EXPECT_TRUE(contains(refused(security), "\"CN = early one\" is not valid before "))
      << refused(security);
  // What signed it is sent with it.
  security = certificates();
  security.certificate_file = write_file("chain.pem", own_.pem() + expired_ca.pem());
  EXPECT_TRUE(contains(refused(security), "\"CN = old CA\" expired at ")) << refused(security);
  security = certificates();
  security.ca_file = write_file("old_ca.pem", expired_ca.pem());
  EXPECT_TRUE(contains(refused(security), "net.ca_file: CA file " + security.ca_file +
                                              ": the certificate \"CN = old CA\" expired at "))
      << refused(security);
  security.ca_file = write_file("both.pem", expired_ca.pem() + ca_.pem());
  EXPECT_EQ(refused(security), "not refused");
}

}  // namespace
}  // namespace gls::net
#endif
