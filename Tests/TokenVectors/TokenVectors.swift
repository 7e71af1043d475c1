/// Keys, and tokens that they have signed, all made with Python's `cryptography`. The private keys are forgotten.
///
/// Unless its name says otherwise, a token is of the subject `alice` and valid until 2100.
package enum TokenVectors {
    package static let rsaPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxOJUZwZXOy6ijjdtMpxi
        xZOVcYuPfJmt5QLMisq6bxnYyQRv09qlxV5fAtKpjqh0dYt1hm37GDnker76HWC6
        GEEHGVVE5GNvqHunUQ+PoDWQ1ybw/EMRoXguFfThdrWnE6Dx3aAt9mOSBzrbNryA
        +2zufg8Ifp/bQyHTKag+s1M+nqbMG+8MG3VfvMa4lc+GKalM7sxqywY6m1FAzHKq
        35lR3d3apqD+MErO4et7GoFyK0Tou7dC+ldlTjRTACXagkFdPxWNJYXyC8UdL8y8
        whz6QbDGg3Vv2XcSGlGxIaoOMd1ZaqPXvYDLP7fzQB7MFohJBnbRHc2w7th7iGhM
        KwIDAQAB
        -----END PUBLIC KEY-----
        """
    package static let rsaJWK = """
        {"kty":"RSA","kid":"rsa","use":"sig","alg":"RS256","n":"xOJUZwZXOy6ijjdtMpxixZOVcYuPfJmt5Q\
        LMisq6bxnYyQRv09qlxV5fAtKpjqh0dYt1hm37GDnker76HWC6GEEHGVVE5GNvqHunUQ-PoDWQ1ybw_EMRoXguFfTh\
        drWnE6Dx3aAt9mOSBzrbNryA-2zufg8Ifp_bQyHTKag-s1M-nqbMG-8MG3VfvMa4lc-GKalM7sxqywY6m1FAzHKq35\
        lR3d3apqD-MErO4et7GoFyK0Tou7dC-ldlTjRTACXagkFdPxWNJYXyC8UdL8y8whz6QbDGg3Vv2XcSGlGxIaoOMd1Z\
        aqPXvYDLP7fzQB7MFohJBnbRHc2w7th7iGhMKw","e":"AQAB"}
        """
    package static let rsaToken = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6InJzYSJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0N\
        DgwMH0.rDp36MV_qM3n6xK8DR_K055BW0gjkIe-xvgmt48h_q3-wGA62pcIiTPCEpPoiba2wIuhGxDljR6Q2LuIK1C\
        lekYWzhoO4LojxNfCNtyyC5W0S3kdE3hZTPrU_s3am0weR536DQ4f81TO7sJOKKgA0jujDUHbghzsc2P2cUsZUtmbe\
        OGybJw7rCQJzZnTyob6-9jvO2Q_BBi-zQiXN3GacYuQgltYk0jHl4vigtOEJk4Y-Pfby7baefQ8IIKeIuo8XnZ_mcR\
        vKONdu9b-3573gMxYIn5zoSxkYrWW8GlBKx6hmSgNuqr2unJ_CS9cm76kFXiCgP7BnRwmESB14tjRog
        """
    package static let rsaTokenWithoutKeyID = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0NDgwMH0.aMqZ-XXj3\
        V0Q-TjKuI3UUlCNrCZJr9Ah_Vh5E6klOY8xh14v6D4C9UlEPHY8UQAx6gtqsferUUHYxNxxtzNkGjkb7o0ckQOvjrt\
        U9t-wqKNGqmqug6Z0Czs8e0hSaJUJOI8ceRcMBDBCBjfu5qfc8kJi5bJ0U13QQ9875ZlJt5URVBnSBYAt4qBrMs7VL\
        W746GJATEvGR0ltFp3FCm4cNNi8ZZEb8UuI45f72WgZDkBbkd5fLjeWz6swHx3pgXrxkz0ezRnj3VqcCzHCylchXp4\
        fJLBe2I_4oiqH9_jflIbHMOqinG5YQFC-i7rIsPU39sh5puE-n9oQFUjlDi933w
        """
    package static let ecPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHRBHYuoW/gQkjnxdCCYleDLVUH+P
        G4NzFbSV9cYJxg/M9P3d+WILVn2+F0ztfASyNvTUmFgOaoHx+R1tLacRlA==
        -----END PUBLIC KEY-----
        """
    package static let ecJWK = """
        {"kty":"EC","kid":"ec","crv":"P-256","x":"HRBHYuoW_gQkjnxdCCYleDLVUH-PG4NzFbSV9cYJxg8","y"\
        :"zPT93fliC1Z9vhdM7XwEsjb01JhYDmqB8fkdbS2nEZQ"}
        """
    package static let ecToken = """
        eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImVjIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0ND\
        gwMH0.g-0j5Cu-rH2LAcHRlEEnoS0kfT-JXJtMKXIXVEfjs-IFsIRhutZ8uJNdPTPhtDaXCianRedDPTTAhH-i_uVe\
        fA
        """
    package static let ecTokenWithoutKeyID = """
        eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0NDgwMH0.DWK3_8rJ1\
        tENu4g7Hgsunl-5zrrqwG4tSorckj8G4pjMOApVL6p0y-xPvHzLtRIYcz-gqZMBCsRWpuCETVDq9w
        """
    package static let edPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAQFUApzgXTyXqWYrqtQJM7XVFHH6I8xBVlH18DpQ9GBo=
        -----END PUBLIC KEY-----
        """
    package static let edJWK = """
        {"kty":"OKP","kid":"ed","crv":"Ed25519","x":"QFUApzgXTyXqWYrqtQJM7XVFHH6I8xBVlH18DpQ9GBo"}
        """
    package static let edToken = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImVkIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0ND\
        gwMH0.1EE0eBjrBnIE_wNsLizyYQ6yFw-eSvrP9JqYAaaSqRuuL6nmXMbVPv_4Q0A5EEVSBTlxONjbaujgGwIY2kSN\
        Ag
        """
    package static let edTokenWithoutKeyID = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0NDgwMH0.DtAj8gIDk\
        kJoS2Fh5kAvVImEBaG5xj_eNsD6nLrochrJ2eR7VmNU-lxY6Sv1Wz8tH8IbBKFXGjLCi3fP1VOoAA
        """
    package static let nextPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAt9fW4b9MTJemLYZ+PbrIpZoDix1TYoG8Dap78rSgz30=
        -----END PUBLIC KEY-----
        """
    package static let nextJWK = """
        {"kty":"OKP","kid":"next","crv":"Ed25519","x":"t9fW4b9MTJemLYZ-PbrIpZoDix1TYoG8Dap78rSgz30\
        "}
        """
    package static let nextToken = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6Im5leHQifQ.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ\
        0NDgwMH0.cNRxeR83tBkLOpWCkWDYrF1jGFkyZ5mp_SLSFGh98WjsVrTlCyg_EJJxY3dLuCMWLaw53AGVl2NQT1bNL\
        GUECA
        """
    package static let nextTokenWithoutKeyID = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0NDgwMH0.xGhb2z8St\
        X3bXRVs6CxyTovL_8XSi6T31e_syfBz1meT6J2z7fSFWMhQGrSlebfYcY2iIksBASJIGWN6Oh_0BQ
        """
    package static let rsaPKCS1PEM = """
        -----BEGIN RSA PUBLIC KEY-----
        MIIBCgKCAQEAxOJUZwZXOy6ijjdtMpxixZOVcYuPfJmt5QLMisq6bxnYyQRv09ql
        xV5fAtKpjqh0dYt1hm37GDnker76HWC6GEEHGVVE5GNvqHunUQ+PoDWQ1ybw/EMR
        oXguFfThdrWnE6Dx3aAt9mOSBzrbNryA+2zufg8Ifp/bQyHTKag+s1M+nqbMG+8M
        G3VfvMa4lc+GKalM7sxqywY6m1FAzHKq35lR3d3apqD+MErO4et7GoFyK0Tou7dC
        +ldlTjRTACXagkFdPxWNJYXyC8UdL8y8whz6QbDGg3Vv2XcSGlGxIaoOMd1ZaqPX
        vYDLP7fzQB7MFohJBnbRHc2w7th7iGhMKwIDAQAB
        -----END RSA PUBLIC KEY-----
        """
    package static let shortRSAPEM = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCwqTn+hB4000VzI+9lE84D/m/J
        m/MYyEkxXxI8OS4pdYf58wVT4/5csaD7/gBQN6S4albyAH4+P2lSR4LIev5nPl0z
        0D3T3T8bVKc1Gx6TXjZ3TD9MbBJdViIIY84m6B7rDAh8xl9tVe0Oxb9Uw/WELZb9
        1esmCpvkB5neBFnYFQIDAQAB
        -----END PUBLIC KEY-----
        """
    package static let p384PEM = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEtLZpWv2USz+cp4bVEONxPOlgg5iS/EbM
        Y/R4niYVAxhlL15QO08gDr6lhSzHjByWtsljzeleUKsWFSbFqU6DuHyeAbTIsdyK
        7XFjyT0U78ihrwS1O24FQOE0OOyHw3zF
        -----END PUBLIC KEY-----
        """
    /// Signed by the key `ed`, which it does not name.
    package static let edTokenWithUnknownKeyID = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6InVua25vd24ifQ.eyJzdWIiOiJhbGljZSIsImV4cCI6NDE\
        wMjQ0NDgwMH0.SvPA_JXQ7fWV78pliacCHNc760bTu-w_arxkUpeXfML0TIr6TI4QRgwfZXRh4OXV-4qx6lcQBdasc\
        4s0Vu_mAA
        """
    /// Signed by the key `next`, although it names the key `ed`.
    package static let edTokenWithWrongKeyID = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImVkIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6NDEwMjQ0ND\
        gwMH0.yE4A2W54xxS_PHw-bNxTabdR7ipn8Ly4nHjlMIJuLzXjMtxtxQjW3wllsZLP0M3fyKVLpik5aTa3n7aDs0Wh\
        Bw
        """
}
