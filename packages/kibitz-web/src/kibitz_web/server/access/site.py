"""How clients reach a server: the names it answers to, its public address, and the proxies in front of it.

A proxy passes every path unchanged, with the base path, and appends the address of its client to `X-Forwarded-For`.
Only what proxies from the operator's list (`--trust-proxy`) say is used; anyone can write these headers.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

import msgspec

from kibitz.core.errors import Refused, short_repr

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PORTS = {"http": 80, "https": 443}
BASE = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
Address = IPv4Address | IPv6Address


class PublicAddress(msgspec.Struct, frozen=True):
    """The address of a server as people know it, `https://host/base`, without the slash at the end."""

    scheme: str
    host: str
    """With the port, unless it is the usual one."""
    base: str

    @property
    def origin(self) -> str:
        """What browsers send as `Origin` from our pages."""
        return f"{self.scheme}://{self.host}"

    def __str__(self) -> str:
        return self.origin + self.base


class TrustedProxies(msgspec.Struct, frozen=True):
    """The addresses of proxies whose headers are believed."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def trusts(self, address: Address | None) -> bool:
        """Whether *address* is one of them."""
        return address is not None and any(address in network for network in self.networks)

    def client_of(self, peer: str, forwarded: Sequence[str]) -> str:
        """The client behind a connection from *peer*: the last forwarded address that is no trusted proxy.

        An address to its left was written by the client itself, or by somebody it trusts.
        """
        if not self.trusts(parse_address(peer)):
            return peer
        for text in reversed(forwarded):
            address = parse_address(text)
            if address is None:
                break
            peer = str(address)
            if not self.trusts(address):
                break
        return peer


LOOPBACK_PROXIES = TrustedProxies((IPv4Network("127.0.0.0/8"), IPv6Network("::1/128")))


class Site(msgspec.Struct, frozen=True):
    """How clients reach a server. *hosts* are the names it answers to; None accepts any.

    With a *public* address it answers to that alone, and to *hosts* for programs on the same machine.
    """

    hosts: tuple[str, ...] | None = LOOPBACK
    public: PublicAddress | None = None
    proxies: TrustedProxies = TrustedProxies()

    @property
    def base(self) -> str:
        """The path in front of every path of the server; empty if there is none."""
        return self.public.base if self.public is not None else ""


def read_address(text: str) -> PublicAddress:
    """The public address that an operator names; raises Refused."""
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise Refused(f"--public {short_repr(text)}: {error}") from None
    base = parts.path.rstrip("/")
    if parts.scheme not in PORTS or not host or parts.username is not None or parts.query or parts.fragment:
        raise Refused(f"--public {short_repr(text)}: write an address such as https://play.example/kibitz")
    if not BASE.fullmatch(base):
        raise Refused(f"--public {short_repr(text)}: a base path has letters, digits and - . _ ~ between its slashes")
    name = f"[{host}]" if ":" in host else host
    return PublicAddress(parts.scheme, name if port in (None, PORTS[parts.scheme]) else f"{name}:{port}", base)


def read_proxies(texts: Iterable[str]) -> TrustedProxies:
    """The proxies that an operator trusts, as addresses or networks; raises Refused."""
    networks = []
    for text in texts:
        try:
            networks.append(ip_network(text))
        except ValueError as error:
            raise Refused(f"--trust-proxy {short_repr(text)}: {error}; write 10.0.0.5 or 10.0.0.0/8") from None
    return TrustedProxies(tuple(networks))


@lru_cache(1024)
def parse_address(text: str) -> Address | None:
    """The IP address in *text*, which may have a port; None if there is none."""
    name = text.strip()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    try:
        found = ip_address(name)
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


@lru_cache(1024)
def rate_key(client: str) -> str:
    """What a client's rate is counted by: its address, or its network where one client has very many addresses."""
    address = parse_address(client)
    return str(IPv6Network((address, 64), strict=False)) if isinstance(address, IPv6Address) else client


def same_host(text: str, address: PublicAddress) -> bool:
    """Whether a Host header names *address*."""
    name = text.lower()
    return name == address.host or name == f"{address.host}:{PORTS[address.scheme]}"


def host_name(text: str) -> str | None:
    """The name in a Host header without its port; None if it is invalid."""
    try:
        return urlsplit(f"//{text}").hostname
    except ValueError:
        return None
