(* A key and a certificate for `localhost`, until 2126. *)
val key =
  "\
  \-----BEGIN PRIVATE KEY-----\n\
  \MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5KAYuEvjjwAPjKSq\n\
  \bx6FqcOcOWnikYdXrBxlRPxACkmhRANCAAQQ8bo18vFIHHeV8rHuI3g9vyyYZrEq\n\
  \OD4/hrwQ+HTgMyB43+cQV6Sqh0yEaWt6hRzMrZ4XLHsRHKBt4ixYmyoC\n\
  \-----END PRIVATE KEY-----\n\
  \"
val cert =
  "\
  \-----BEGIN CERTIFICATE-----\n\
  \MIIBlTCCATugAwIBAgIUCmFYpsUhLVvnUyHOyMYLmzwkdvswCgYIKoZIzj0EAwIw\n\
  \FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODEyNTIxOFoYDzIxMjYxMTA0\n\
  \MTI1MjE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n\
  \PQMBBwNCAAQQ8bo18vFIHHeV8rHuI3g9vyyYZrEqOD4/hrwQ+HTgMyB43+cQV6Sq\n\
  \h0yEaWt6hRzMrZ4XLHsRHKBt4ixYmyoCo2kwZzAdBgNVHQ4EFgQUmL49WR4Bq6jI\n\
  \Gl2KWV7iyjjW4mAwHwYDVR0jBBgwFoAUmL49WR4Bq6jIGl2KWV7iyjjW4mAwDwYD\n\
  \VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID\n\
  \SAAwRQIgLDmmnqEqQufDD7qRE8qpS4p1Jc4y5bqsvvILvawW5ykCIQCZ+BYdrca8\n\
  \oikyKjYVIp0iyR1r59t5ifHcxTguxAduBg==\n\
  \-----END CERTIFICATE-----\n\
  \"
