/* Test vectors, each from the publication that defines the algorithm, or the one named. */
#include "kernels/crypto.h"

#define ALPHABET "abcdefghijklmnopqrstuvwxyz"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" ALPHABET "0123456789"
#define EIGHTY \
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890"
#define TWO_BLOCKS "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
#define TWO_LONG_BLOCKS \
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn" \
    "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
#define NOW_IS "4e6f77206973207468652074696d6520666f7220616c6c20"
#define AES_TEXT \
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" \
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define AES_IV "000102030405060708090a0b0c0d0e0f"

const struct crypto_vector crypto_vectors[] = {
    /* RFC 1319, A.5 */
    {"md2", .text = "", .output = "8350e5a3e24c153df2275c9f80692773"},
    {"md2", .text = "abc", .output = "da853b0d3f88d99b30283a69e6ded6bb"},
    {"md2", .text = "message digest", .output = "ab4f496bfb2a530b219ff33031fe06b0"},
    {"md2", .text = LETTERS, .output = "da33def2a42df13975352846c30338cd"},
    {"md2", .text = EIGHTY, .output = "d5976f79d83d3a0dc9806c3c66f3efd8"},
    /* RFC 1320, A.5 */
    {"md4", .text = "", .output = "31d6cfe0d16ae931b73c59d7e0c089c0"},
    {"md4", .text = "abc", .output = "a448017aaf21d8525fc10ae87aa6729d"},
    {"md4", .text = ALPHABET, .output = "d79e1c308aa5bbcdeea8ed63df412da9"},
    {"md4", .text = EIGHTY, .output = "e33b4ddc9c38f2199c3e7b164fcc0536"},
    /* RFC 1321, A.5 */
    {"md5", .text = "", .output = "d41d8cd98f00b204e9800998ecf8427e"},
    {"md5", .text = "abc", .output = "900150983cd24fb0d6963f7d28e17f72"},
    {"md5", .text = ALPHABET, .output = "c3fcd3d76192e4007dfb496cca67e13b"},
    {"md5", .text = EIGHTY, .output = "57edf4a22be3c955ac49da2e2107b67a"},
    /* RFC 2104, appendix */
    {"hmac_md5", .key = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", .text = "Hi There",
     .output = "9294727a3638bb1c13f48ef8158bfc9d"},
    {"hmac_md5", .key = "4a656665", .text = "what do ya want for nothing?",
     .output = "750c783e6ab0b503eaa86e310a5db738"},
    /* RFC 3174, 7.3 */
    {"sha1", .text = "abc", .output = "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"sha1", .text = TWO_BLOCKS, .output = "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    /* The designers' paper, appendix B */
    {"rmd160", .text = "", .output = "9c1185a5c5e9fc54612808977ee8f548b2258d31"},
    {"rmd160", .text = "abc", .output = "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
    {"rmd160", .text = TWO_BLOCKS, .output = "12a053384a9c0c88e405a06c27dcf49ada62eb2b"},
    {"rmd160", .text = EIGHTY, .output = "9b752e45573d4b39f4dbd3323cab82bf63326bfb"},
    /* FIPS 180-2, appendices B and C, to which FIPS 180-4 refers as examples */
    {"sha256", .text = "abc",
     .output = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"sha256", .text = TWO_BLOCKS,
     .output = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"sha512", .text = "abc",
     .output = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
               "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    {"sha512", .text = TWO_LONG_BLOCKS,
     .output = "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
               "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"},
    /* RFC 6229: the stream at 0 */
    {"rc4", .key = "0102030405", .input = "00000000000000000000000000000000",
     .output = "b2396305f03dc027ccc3524a0a1118a8"},
    {"rc4", .key = "0102030405060708090a0b0c0d0e0f10",
     .input = "00000000000000000000000000000000", .output = "9ac7cc9a609d1ef7b2932899cde41b97"},
    /* FIPS 81, tables B1 and C1 */
    {"des_cbc", .key = "0123456789abcdef", .input = "4e6f772069732074",
     .output = "3fa40e8a984d4815"},
    {"des_cbc", .key = "0123456789abcdef", .iv = "1234567890abcdef", .input = NOW_IS,
     .output = "e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"},
    /* RFC 2268, 5: those with as many effective bits as the key has */
    {"rc2_cbc", .key = "ffffffffffffffff", .input = "ffffffffffffffff",
     .output = "278b27e42e2f0d49"},
    {"rc2_cbc", .key = "3000000000000000", .input = "1000000000000001",
     .output = "30649edf9be7d2c2"},
    {"rc2_cbc", .key = "88bca90e90875a7f0f79c384627bafb2", .input = "0000000000000000",
     .output = "2269552ab0f85ca6"},
    /* Lai, 3.3 */
    {"idea_cbc", .key = "00010002000300040005000600070008", .input = "0000000100020003",
     .output = "11fbed2b01986de5"},
    /* Schneier's vectors-2 (E. Young) */
    {"blowfish_cbc", .key = "0000000000000000", .input = "0000000000000000",
     .output = "4ef997456198dd78"},
    {"blowfish_cbc", .key = "3000000000000000", .input = "1000000000000001",
     .output = "7d856f9a613063f2"},
    {"blowfish_cbc", .key = "0123456789abcdeff0e1d2c3b4a59687", .iv = "fedcba9876543210",
     .input = "37363534333231204e6f77206973207468652074696d6520666f722000000000",
     .output = "6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc"},
    /* RFC 2144, B.1 */
    {"cast_cbc", .key = "0123456712345678234567893456789a", .input = "0123456789abcdef",
     .output = "238b4fe5847e44b2"},
    {"cast_cbc", .key = "01234567123456782345", .input = "0123456789abcdef",
     .output = "eb6a711a2c02271b"},
    {"cast_cbc", .key = "0123456712", .input = "0123456789abcdef", .output = "7ac816d16e9b302e"},
    /* FIPS 197, C.1, C.2 and C.3; SP 800-38A, F.2.1, F.2.3 and F.2.5 */
    {"aes_128_cbc", .key = AES_IV, .input = "00112233445566778899aabbccddeeff",
     .output = "69c4e0d86a7b0430d8cdb78070b4c55a"},
    {"aes_128_cbc", .key = "2b7e151628aed2a6abf7158809cf4f3c", .iv = AES_IV, .input = AES_TEXT,
     .output = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
               "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"},
    {"aes_192_cbc", .key = AES_IV "1011121314151617", .input = "00112233445566778899aabbccddeeff",
     .output = "dda97ca4864cdfe06eaf70a0ec0d7191"},
    {"aes_192_cbc", .key = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", .iv = AES_IV,
     .input = AES_TEXT,
     .output = "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
               "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"},
    {"aes_256_cbc", .key = AES_IV "101112131415161718191a1b1c1d1e1f",
     .input = "00112233445566778899aabbccddeeff", .output = "8ea2b7ca516745bfeafc49904b496089"},
    {"aes_256_cbc", .key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     .iv = AES_IV, .input = AES_TEXT,
     .output = "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
               "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"},
    {0}};
