"""Runs a command for which the kernel refuses hard links, as it does on FAT: no-hard-links.py ERRNO COMMAND..."""
import ctypes, errno, os, struct, sys

load, jump_if_equal, give = 0x20, 0x15, 0x06
allow, refuse = 0x7FFF0000, 0x00050000 | getattr(errno, sys.argv[1])
# What seccomp calls the machine, and the numbers of link and linkat there.
machine, link, linkat = {'x86_64': (0xC000003E, 86, 265), 'aarch64': (0xC00000B7, 37, 37)}[os.uname().machine]
steps = [
    (load, 0, 0, 4),
    (jump_if_equal, 0, 3, machine),
    (load, 0, 0, 0),
    (jump_if_equal, 2, 0, link),
    (jump_if_equal, 1, 0, linkat),
    (give, 0, 0, allow),
    (give, 0, 0, refuse),
]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
filter = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
no_new_privileges, set_seccomp, by_filter = 38, 22, 2
if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_seccomp, by_filter, ctypes.addressof(filter), 0, 0):
    sys.exit(f'The kernel takes no filter: {os.strerror(ctypes.get_errno())}')
os.execvp(sys.argv[2], sys.argv[2:])
