import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The user inside a sandbox. */
export const SANDBOX_UID = 1000;

/** A minimal /etc with user names, and nothing of the machine's own accounts, mirrors or credentials. */
const ETC: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/bin/sh\nuser:x:${SANDBOX_UID}:${SANDBOX_UID}:user:/app:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
  group: `root:x:0:\ntty:x:5:\nuser:x:${SANDBOX_UID}:\nnogroup:x:65534:\n`,
  hosts: "127.0.0.1 localhost project\n::1 localhost\n",
  hostname: "project\n",
  "resolv.conf": "",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
};

/**
 * Files of the machine's /etc that programs need, if present: for loading libraries, checking certificates, resolving
 * names.
 */
const ETC_OF_THE_MACHINE = [
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "alternatives",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki/tls/certs",
  "pki/ca-trust/extracted",
  "ca-certificates",
  "localtime",
  "mime.types",
  "protocols",
  "services",
  "terminfo",
  "inputrc",
  "bash.bashrc",
];

const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Writes the generated /etc, where sandboxes find it. */
export function writeEtc(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  for (const [name, content] of Object.entries(ETC)) writeFileSync(path.join(dir, name), content);
}

/** Returns arguments for bubblewrap: the machine's programs and libraries, read-only, and the generated /etc. */
export function machineFiles(etc: string, hidden: readonly string[]): string[] {
  return [
    "--ro-bind",
    "/usr",
    "/usr",
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...Object.keys(ETC).flatMap((name) => ["--ro-bind", path.join(etc, name), `/etc/${name}`]),
    ...ETC_OF_THE_MACHINE.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...hidden.flatMap(hide),
  ];
}

/** On most systems these are links into /usr. */
function systemFolder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (lstatSync(folder).isSymbolicLink()) return ["--symlink", readlinkSync(folder), folder];
  return ["--ro-bind", folder, folder];
}

/** Covers a folder that lies in what a sandbox sees, such as a checkout in /usr/src. */
function hide(folder: string): string[] {
  const real = realpathSync(folder);
  const isVisible = ["/usr", ...SYSTEM_FOLDERS].some((root) => real.startsWith(`${root}/`));
  return isVisible ? ["--size", "4096", "--tmpfs", real, "--remount-ro", real] : [];
}

/**
 * Returns the folder of the machine's npm for Node's own binary, if it lies outside /usr, which sandboxes see anyway.
 * npm sets its location when it starts the service.
 */
export function npmOutsideUsr(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const cli = environment["npm_execpath"];
  if (!cli || path.basename(cli) !== "npm-cli.js" || !existsSync(cli)) return undefined;
  const folder = path.dirname(path.dirname(realpathSync(cli)));
  return folder.startsWith("/usr/") ? undefined : folder;
}
