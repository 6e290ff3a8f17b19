(* Keys for tests alone; all were signed by `ca`, but for `self`. Made by `openssl req` and `openssl ca`. *)

structure Keys =
struct
  val caPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBfzCCASWgAwIBAgIUbG8Ypy3AryN/X4z3RqVzMV3PxcAwCgYIKoZIzj0EAwIw\n\
      \FDESMBAGA1UEAwwJTGVhdCB0ZXN0MCAXDTI2MTEyNzA3MjQyOFoYDzIxMjYxMTAz\n\
      \MDcyNDI4WjAUMRIwEAYDVQQDDAlMZWF0IHRlc3QwWTATBgcqhkjOPQIBBggqhkjO\n\
      \PQMBBwNCAAQdW1emfpICSigftB+SYRrCVK23/2Ob/jglDTCMQEzvc5QeIHmc4LIY\n\
      \4sW1/zEf7409sLYIxTyS+RjlSt3i41bno1MwUTAdBgNVHQ4EFgQUXs5teGMhE8Gj\n\
      \HIdndYV6EZBBv0owHwYDVR0jBBgwFoAUXs5teGMhE8GjHIdndYV6EZBBv0owDwYD\n\
      \VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBpuZU7BxQH67KsW3sWqO/K\n\
      \iEQ1dyoDNegefLLAjSq0wAIhAPWlZ+IEuz8qfxdgjCQpAGbhATwohyzs/1ybBDFa\n\
      \9iCo\n\
      \-----END CERTIFICATE-----\n\
      \"
  val serverPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBdDCCARqgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlMZWF0IHRl\n\
      \c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMM\n\
      \BnNlcnZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHj1yKw/czCLSixVqNFt\n\
      \Kh/Q34nVc4y7hIKe4NhobatCtAQGGFIbphyYLa3S4XN+epidvjPHChG4WufBSN02\n\
      \JMKjXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUHVsJ\n\
      \ru47q7XrGhhn8UheM6yV4b4wHwYDVR0jBBgwFoAUXs5teGMhE8GjHIdndYV6EZBB\n\
      \v0owCgYIKoZIzj0EAwIDSAAwRQIhAJaXWaGXxhdNKFfDM6i6i9PWiBKiySS6WFtZ\n\
      \gARvT5lKAiAqm2f03Jk3aRucB6KXEMQ/rosFcsvBbOZ6j8yyQdSoCQ==\n\
      \-----END CERTIFICATE-----\n\
      \"
  val serverKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxKxSrElZLQgjrgzl\n\
      \n6F10JDuEaS7P3eUBjkDZQPl/vuhRANCAAR49cisP3Mwi0osVajRbSof0N+J1XOM\n\
      \u4SCnuDYaG2rQrQEBhhSG6YcmC2t0uFzfnqYnb4zxwoRuFrnwUjdNiTC\n\
      \-----END PRIVATE KEY-----\n\
      \"
  val otherPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBcDCCARegAwIBAgIBAjAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlMZWF0IHRl\n\
      \c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBAxDjAMBgNVBAMM\n\
      \BW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEv6UfgGditWMMnclR3prM\n\
      \VOnKhS+zk08ZKhS4vwAixtuw02upn2a3CDmjN29IH9TJtwB2ejftHZJCl1Baalas\n\
      \raNcMFowGAYDVR0RBBEwD4INb3RoZXIuZXhhbXBsZTAdBgNVHQ4EFgQUzaJ0xhZU\n\
      \45rYZxPp+5ikVC5G+xswHwYDVR0jBBgwFoAUXs5teGMhE8GjHIdndYV6EZBBv0ow\n\
      \CgYIKoZIzj0EAwIDRwAwRAIgRcWlWsTjmcOIMMIuAjRf7EG6xiuC4R81FQhQSUWi\n\
      \ljICIAVZda6WLd+VqhvxzxPoPl9lvGZPzkddtZF0aHdgrdec\n\
      \-----END CERTIFICATE-----\n\
      \"
  val otherKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2X/+/bG0Y0K/rwRJ\n\
      \ss8oqJNYahDcA8u2Ygc2lhIWKPGhRANCAAS/pR+AZ2K1YwydyVHemsxU6cqFL7OT\n\
      \TxkqFLi/ACLG27DTa6mfZrcIOaM3b0gf1Mm3AHZ6N+0dkkKXUFpqVqyt\n\
      \-----END PRIVATE KEY-----\n\
      \"
  val expiredPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBbjCCAROgAwIBAgIBAzAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlMZWF0IHRl\n\
      \c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjASMRAwDgYDVQQDDAdl\n\
      \eHBpcmVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfGsPBit287DmRttXLa3Z\n\
      \mJ459BoEWMFpR9uNpav6gxqTjekgaMdOz6GkbPTlt52dYRTCndS9a2iS0DyrkLBV\n\
      \yqNYMFYwFAYDVR0RBA0wC4IJbG9jYWxob3N0MB0GA1UdDgQWBBRrKV/RzhYE6Mbl\n\
      \OvXagBm3lz81jTAfBgNVHSMEGDAWgBRezm14YyETwaMch2d1hXoRkEG/SjAKBggq\n\
      \hkjOPQQDAgNJADBGAiEAnnVb9GGD9W7D6wFiVIvGKC1IgwfSQTQGDrpGGElzUk4C\n\
      \IQCjC29a89j9L78QGd4YcAEKjXYdQxf3CQfoTGVISuMWYg==\n\
      \-----END CERTIFICATE-----\n\
      \"
  val expiredKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgupUhp4YKvy0gLOv0\n\
      \4rYvWYo28GTfahgPTYFkfsX7gHqhRANCAAR8aw8GK3bzsOZG21ctrdmYnjn0GgRY\n\
      \wWlH242lq/qDGpON6SBox07PoaRs9OW3nZ1hFMKd1L1raJLQPKuQsFXK\n\
      \-----END PRIVATE KEY-----\n\
      \"
  val laterPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBbjCCARWgAwIBAgIBBDAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlMZWF0IHRl\n\
      \c3QwIhgPMjExMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEDEOMAwGA1UE\n\
      \AwwFbGF0ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQpqMIKAULWG3uJi5y/\n\
      \y5Q2DX8gBEJpXazIrFGC05ik6yDfpzcigddt8C0VIn3sStW8NRle32ncf5hsxjr+\n\
      \FHvUo1gwVjAUBgNVHREEDTALgglsb2NhbGhvc3QwHQYDVR0OBBYEFFlMj8kL5twr\n\
      \wSWpxjK0iEFmf+/6MB8GA1UdIwQYMBaAFF7ObXhjIRPBoxyHZ3WFehGQQb9KMAoG\n\
      \CCqGSM49BAMCA0cAMEQCIEm+A6IpmXXAZ005OFWKqLnLtF/4Mcpz0pJLvw74Fw/I\n\
      \AiBDwNwC8JfEvuzlDVmv4FUcq6zX4oLkaL2qg6jEo22CNg==\n\
      \-----END CERTIFICATE-----\n\
      \"
  val laterKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgW4AmJ7MqYUJkK2Ca\n\
      \4ciCuxBo8ozp2XQgkOZ2bTB5qIahRANCAAQpqMIKAULWG3uJi5y/y5Q2DX8gBEJp\n\
      \XazIrFGC05ik6yDfpzcigddt8C0VIn3sStW8NRle32ncf5hsxjr+FHvU\n\
      \-----END PRIVATE KEY-----\n\
      \"
  val clientPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBbjCCAROgAwIBAgIBBTAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlMZWF0IHRl\n\
      \c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMM\n\
      \BmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJeNmc5xcyFD2OG9chgM\n\
      \YWLVBbkV3Nwb4mvVLvGV6EIHwJUKam47OYjviLTYjHTsXbNdRfHpvVNlaZfzg155\n\
      \EGWjVzBVMBMGA1UdJQQMMAoGCCsGAQUFBwMCMB0GA1UdDgQWBBQxG8TJ3HAvAzDp\n\
      \/RcQKCDWrbfooTAfBgNVHSMEGDAWgBRezm14YyETwaMch2d1hXoRkEG/SjAKBggq\n\
      \hkjOPQQDAgNJADBGAiEAyrgMmaMTG6E5hGAjQvo5Xk68LJtMFKfeGmGPr2JjokgC\n\
      \IQD0O8VMA59sRTPOcegNG6TJLHxSlR9CSH9vYFgvdXNByA==\n\
      \-----END CERTIFICATE-----\n\
      \"
  val clientKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPuQyWz0f33/DMV99\n\
      \QNs5usgYpzlgxmcNSjyjXmaui+ehRANCAASXjZnOcXMhQ9jhvXIYDGFi1QW5Fdzc\n\
      \G+Jr1S7xlehCB8CVCmpuOzmI74i02Ix07F2zXUXx6b1TZWmX84NeeRBl\n\
      \-----END PRIVATE KEY-----\n\
      \"
  val selfPEM =
    "\
      \-----BEGIN CERTIFICATE-----\n\
      \MIIBjDCCATGgAwIBAgIUHSm0BLp4shzWj7eb7bQ/om4nUNQwCgYIKoZIzj0EAwIw\n\
      \DzENMAsGA1UEAwwEc2VsZjAgFw0yNjExMjcwNzI0MjhaGA8yMTI2MTEwMzA3MjQy\n\
      \OFowDzENMAsGA1UEAwwEc2VsZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABArG\n\
      \0fhoeNyikll6F/94nS+ocC89wya8y0p7bC9w4LfJkJsOPFgfhebEbFKCx9cgpmj8\n\
      \xGur9lm5R9z7WM4tL7mjaTBnMB0GA1UdDgQWBBQXgxq3Fz0colK6o20wsrxMv0Cl\n\
      \YTAfBgNVHSMEGDAWgBQXgxq3Fz0colK6o20wsrxMv0ClYTAPBgNVHRMBAf8EBTAD\n\
      \AQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEA3aBN\n\
      \dCk0pQ/01a+sKYX+1WFRl/zCruz9koUV9J/u/o4CIQDXzIn4PXVk0AZRxMuE4kmo\n\
      \/dBouaWGbOp9aYkM7lcMbA==\n\
      \-----END CERTIFICATE-----\n\
      \"
  val selfKey =
    "\
      \-----BEGIN PRIVATE KEY-----\n\
      \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSFyscI5dqkIca5Ss\n\
      \6SgKD/owQUppHXKl6cQxy0f5nu2hRANCAAQKxtH4aHjcopJZehf/eJ0vqHAvPcMm\n\
      \vMtKe2wvcOC3yZCbDjxYH4XmxGxSgsfXIKZo/MRrq/ZZuUfc+1jOLS+5\n\
      \-----END PRIVATE KEY-----\n\
      \"
end
