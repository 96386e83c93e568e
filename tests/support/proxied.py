"""A real server behind a real nginx with TLS and a base path, for tests; the server can be killed and started again."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.sync.client import ClientConnection, connect

from checkout import ROOT
from kibitz_lab.store import Store
from kibitz_lab.store.accounts import Accounts

BASE = "/kibitz"
EXAMPLE = ROOT / "deploy" / "nginx.conf"
MAIN = """daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log warn;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
  include /etc/nginx/mime.types; access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxied; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  include {folder}/site.conf;
}}
"""
PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate for this machine; a context that trusts it and nothing else."""
    key, cert = folder / "site.key", folder / "site.pem"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {cert}"
    subprocess.run(
        [*command.split(), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True
    )
    return ssl.create_default_context(cafile=str(cert))


class ProxiedServer:
    """`kibitz serve --public` and nginx in front of it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        self.port, self.inner = free_port(), free_port()
        self.public = f"https://127.0.0.1:{self.port}{BASE}"
        self.trust = certificate(folder)
        self.log = (folder / "server.log").open("a+")
        self.operator = self.command("token", "op", "--operator").split()[-1]
        self.nginx: subprocess.Popen[bytes] | None = None
        self.process: subprocess.Popen[str] | None = None

    def make_links(self, names: Sequence[str]) -> list[str]:
        """Links with which many people sign in."""
        with Store(str(self.folder / "kept.db")) as store:
            return [f"{self.public}/join/{Accounts(store).invite(name)}" for name in names]

    def command(self, *words: str) -> str:
        """What a command of kibitz prints."""
        command = [sys.executable, "-m", "kibitz.cli", *words, "--db", "kept.db"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def start(self) -> None:
        """Start the server, on the port it had."""
        words = ["serve", "--public", self.public, "--port", str(self.inner), "--folder", "tables", "--db", "kept.db"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kibitz.cli", *words, *self.options],
            cwd=self.folder,
            stdout=self.log,
            stderr=self.log,
            text=True,
        )
        self.wait_for(self.inner, self.process)  # it listens before it has loaded everything
        httpx2.get(f"http://127.0.0.1:{self.inner}{BASE}/api/health", timeout=PATIENCE).raise_for_status()

    def kill(self) -> None:
        """Kill the server without a goodbye."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def start_proxy(self) -> None:
        """Start nginx with our example, changed to this machine's ports and files."""
        text = EXAMPLE.read_text(encoding="utf-8")
        for old, new in {
            "127.0.0.1:8017": f"127.0.0.1:{self.inner}",
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "/etc/ssl/play.example": str(self.folder / "site"),
            "server_name play.example": "server_name 127.0.0.1",
            "/var/log/nginx/kibitz.log": str(self.folder / "access.log"),
        }.items():
            assert text.count(old) >= 1, f"the example no longer says {old}"
            text = text.replace(old, new)
        (self.folder / "site.conf").write_text(text, encoding="utf-8")
        (self.folder / "nginx.conf").write_text(MAIN.format(folder=self.folder), encoding="utf-8")
        program = nginx_program() or ""
        with (self.folder / "nginx.log").open("a") as log:
            self.nginx = subprocess.Popen([program, "-p", str(self.folder), "-c", "nginx.conf"], stdout=log, stderr=log)
        self.wait_for(self.port, self.nginx)

    def wait_for(self, port: int, process: subprocess.Popen[Any]) -> None:
        """Wait until a process answers on a port."""
        until = time.monotonic() + PATIENCE
        while True:
            assert process.poll() is None, self.logs()
            assert time.monotonic() < until, self.logs()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)

    def logs(self) -> str:
        """What the server and nginx have written."""
        return "".join(
            (self.folder / name).read_text() for name in ("server.log", "nginx.log") if (self.folder / name).exists()
        )

    def http(self, token: str | None = None) -> httpx2.Client:
        """A client with a token, the operator's by default."""
        sent = {"authorization": f"Bearer {self.operator if token is None else token}"}
        return httpx2.Client(base_url=self.public, headers=sent, verify=self.trust, timeout=PATIENCE)

    @contextmanager
    def socket(self, path: str, **login: Any) -> Iterator[ClientConnection]:
        """A socket on which the first message is sent already."""
        address = self.public.replace("https", "wss") + path
        with connect(address, ssl=self.trust, open_timeout=PATIENCE) as made:
            made.send(json.dumps(login))
            yield made

    def stop(self) -> None:
        """End both."""
        for process in (self.process, self.nginx):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait(30)
        self.log.close()


def nginx_program() -> str | None:
    """nginx, which stands where not every user looks for programs."""
    return shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))


@contextmanager
def proxied_server(folder: Path, *options: str) -> Iterator[ProxiedServer]:
    """A running server behind nginx; skips where there is none."""
    if nginx_program() is None:
        pytest.skip("no nginx here (on Debian: apt-get install nginx-light)")
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here (on Debian: apt-get install openssl)")
    made = ProxiedServer(folder, *options)
    try:
        made.start()
        made.start_proxy()
        yield made
    finally:
        made.stop()
