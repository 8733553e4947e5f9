"""Writes test vectors with Google Tink, and opens sealed objects with it: another implementation of the same format.

pip install tink==1.16.1
python tink_vectors.py write FOLDER
python tink_vectors.py open OBJECT DATA_KEY_HEX MEDIA_KEY > CLEAR
"""
import hashlib
import hmac
import io
import json
import pathlib
import sys

import tink
from tink import secret_key_access, streaming_aead
from tink.proto import aes_gcm_hkdf_streaming_pb2, common_pb2, tink_pb2

SEGMENT = 64 * 1024
BLOCK = 256 * 1024
HEADER = 40


def primitive(main_key: bytes) -> streaming_aead.StreamingAead:
    params = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingParams(
        ciphertext_segment_size=SEGMENT, derived_key_size=32, hkdf_hash_type=common_pb2.SHA256
    )
    key = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingKey(version=0, params=params, key_value=main_key)
    data = tink_pb2.KeyData(
        type_url="type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey",
        value=key.SerializeToString(),
        key_material_type=tink_pb2.KeyData.SYMMETRIC,
    )
    keyset = tink_pb2.Keyset(primary_key_id=1)
    keyset.key.add(key_data=data, status=tink_pb2.ENABLED, key_id=1, output_prefix_type=tink_pb2.RAW)
    handle = tink.proto_keyset_format.parse(keyset.SerializeToString(), secret_key_access.TOKEN)
    return handle.primitive(streaming_aead.StreamingAead)


class Kept(io.BytesIO):
    """Keeps its bytes when Tink closes it."""

    def close(self) -> None:
        pass


def seal(main_key: bytes, data: bytes, clear: bytes) -> bytes:
    sealed = Kept()
    with primitive(main_key).new_encrypting_stream(sealed, data) as stream:
        stream.write(clear)
    return sealed.getvalue()


def unseal(main_key: bytes, data: bytes, sealed: bytes) -> bytes:
    with primitive(main_key).new_decrypting_stream(io.BytesIO(sealed), data) as stream:
        return stream.read()


def hkdf(key: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF-SHA256 (RFC 5869), 32 bytes."""
    extracted = hmac.new(salt, key, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def clear_bytes(count: int) -> bytes:
    return bytes(index * 7 % 251 for index in range(count))


def write(folder: pathlib.Path) -> None:
    vectors = []
    for count in (0, 5, 65480, 65481):
        main_key = hashlib.sha256(b"main key %d" % count).digest()
        data = (3).to_bytes(8, "big") + b"\x01"
        name = f"{count}.sealed"
        (folder / name).write_bytes(seal(main_key, data, clear_bytes(count)))
        vectors.append({"clearBytes": count, "mainKey": main_key.hex(), "associatedData": data.hex(), "file": name})
    (folder / "vectors.json").write_text(json.dumps(vectors, indent=1) + "\n")


def open_object(sealed: bytes, data_key: bytes, media_key: str) -> bytes:
    object_id = sealed[1:17]
    object_key = hkdf(data_key, object_id, b"parlance media object " + media_key.encode())
    blocks = [sealed[start : start + BLOCK] for start in range(0, len(sealed), BLOCK)]
    clear = b""
    for number, block in enumerate(blocks):
        assert block[1:17] == object_id
        last = b"\x01" if number == len(blocks) - 1 else b"\x00"
        clear += unseal(object_key, number.to_bytes(8, "big") + last, block)
    return clear


streaming_aead.register()
if sys.argv[1] == "write":
    write(pathlib.Path(sys.argv[2]))
else:
    _, _, path, key_hex, name = sys.argv
    sys.stdout.buffer.write(open_object(pathlib.Path(path).read_bytes(), bytes.fromhex(key_hex), name))
