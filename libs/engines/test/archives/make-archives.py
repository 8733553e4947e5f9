"""Makes the archives beside it: a model as the releases of sherpa-onnx have them, and one that means harm.

Run by hand when they should change: python3 make-archives.py
"""
import io
import pathlib
import tarfile

HERE = pathlib.Path(__file__).parent


def archive(name, members):
    with tarfile.open(HERE / name, 'w:bz2') as tar:
        for path, content in members:
            info = tarfile.TarInfo(path)
            if isinstance(content, bytes):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content
                tar.addfile(info)


archive('model.tar.bz2', [
    ('sherpa-onnx-tiny', (tarfile.DIRTYPE, '')),
    ('sherpa-onnx-tiny/model.int8.onnx', b'weights ' * 40_000),
    ('sherpa-onnx-tiny/model.onnx', b'more weights'),
    ('sherpa-onnx-tiny/tokens.txt', b'a 0\n'),
    ('sherpa-onnx-tiny/LICENSE', b'Do as you like.\n'),
    ('sherpa-onnx-tiny/test_wavs/0.wav', b'RIFF'),
])
archive('hostile.tar.bz2', [
    ('top/../../escaped.txt', b'out'),
    ('/tmp/parlance-escaped.txt', b'out'),
    ('top/LICENSE', (tarfile.SYMTYPE, '/etc')),
    ('top/LICENSE/passwd', b'out'),
    ('top/model.int8.onnx', (tarfile.SYMTYPE, '../../../../../etc/passwd')),
    ('top/tokens.txt', b'a 0\n'),
])
