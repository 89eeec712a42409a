"""How connections are protected: settings of each machine's processes, by name of the way."""

from __future__ import annotations

import secrets
import subprocess
from pathlib import Path
from typing import Dict, Mapping, Optional, Protocol

Settings = Mapping[str, object]


class Machine(Protocol):
    """Where a process is."""

    @property
    def address(self) -> str:
        ...


class Security:
    """Nothing."""

    def of(self, machine: Machine) -> Settings:
        """The settings of processes on a machine."""
        return {"net.plain": True}


class Key(Security):
    """A key that all machines have."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "gls.key"
        self._file.write_text(secrets.token_hex(32))
        self._file.chmod(0o600)

    def of(self, machine: Machine) -> Settings:
        return {"net.key_file": self._file}


class Certificates(Security):
    """A certificate for each machine, of an authority of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._made: Dict[str, Settings] = {}
        self._ca = self._make("authority", "CA:TRUE", None)

    def of(self, machine: Machine) -> Settings:
        name = machine.address
        if name not in self._made:
            own = self._make(name, "CA:FALSE", self._ca)
            self._made[name] = {
                "net.ca_file": f"{self._ca}.pem",
                "net.certificate_file": f"{own}.pem",
                "net.certificate_key_file": f"{own}.key",
            }
        return self._made[name]

    def _make(self, name: str, constraint: str, signer: Optional[Path]) -> Path:
        """A certificate NAME.pem with the key NAME.key; without a signer it signs itself."""
        out = self._folder / name
        command = f"openssl req -x509 -days 2 -nodes -newkey ec -subj /CN={name}".split()
        command += ["-pkeyopt", "ec_paramgen_curve:P-256"]
        command += ["-addext", f"basicConstraints=critical,{constraint}"]
        command += ["-out", f"{out}.pem", "-keyout", f"{out}.key"]
        if signer is not None:
            command += ["-addext", f"subjectAltName=IP:{name}"]
            command += ["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        Path(f"{out}.key").chmod(0o600)
        return out
