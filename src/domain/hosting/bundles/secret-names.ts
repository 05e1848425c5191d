import { compileGlob } from "#src/lib/glob-pattern.ts";
import { visibleLine } from "#src/lib/visible.ts";

/** Names, in lower case, of files that hold keys or passwords, or the state of an infrastructure with its passwords. */
const SECRET_NAMES = [
  "id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
  "*.{pem,key,ppk,p8,p12,pfx,jks,keystore,kdbx,ovpn}",
  "*.{tfstate,tfstate.backup,tfvars,tfvars.json}",
  "*service{-,_,}account*.json",
  "*firebase-adminsdk*.json",
  "client_secret*.json",
  "{credentials,secrets}.{json,yml,yaml,toml}",
  "{kubeconfig,*.kubeconfig,_netrc,htpasswd}",
  "*.env",
  ".env.*",
].map((pattern) => compileGlob(pattern));

/** Whether a file of this name is published only where `.deployignore` says so. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return SECRET_NAMES.some((matches) => matches(lower));
}

/** Files that one line names. */
const NAMED = 10;

/** Tells the person who deploys which files were left out for their names. */
export function leftOutLine(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map(visibleLine).join(", ");
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return `Left out, as their names are those of secrets: ${named}${more}. A line such as !name in .deployignore publishes a file`;
}
