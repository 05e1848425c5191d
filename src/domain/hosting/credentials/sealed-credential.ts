import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { HostingAccess, HostingGrant } from "#src/platform/hosting/hosting.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { sealGrant } from "#src/domain/access/oauth-flows/index.ts";
import { splitMetadata, type Metadata } from "./metadata.ts";
import type { Credential, SealedCredential } from "./queries.ts";

const SecretMetadata = z.record(z.string(), z.string());

interface Deps {
  deploymentSecrets: Secrets;
}

/** A credential in the clear, as it is to be stored. */
interface OpenCredential extends Pick<HostingGrant, "refreshToken" | "expiresAt"> {
  token: string;
  metadata: Metadata;
  authType: Credential["authType"];
  isStandin: boolean;
}

/** Encrypts a credential for storage. */
export async function sealCredential(
  { deploymentSecrets }: Deps,
  { token: accessToken, refreshToken, expiresAt, metadata, authType, isStandin }: OpenCredential,
): Promise<SealedCredential> {
  const { plain, secret } = splitMetadata(metadata);
  const isWithoutSecrets = Object.keys(secret).length === 0;
  return {
    authType,
    isStandin,
    ...(await sealGrant(deploymentSecrets, { accessToken, refreshToken, expiresAt })),
    metadata: plain,
    encryptedMetadata: isWithoutSecrets ? null : await deploymentSecrets.encrypt(JSON.stringify(secret)),
  };
}

/** All metadata of a credential in the clear. Throws `InvalidToken` when no configured key opens it. */
export async function openMetadata(
  { deploymentSecrets }: { deploymentSecrets: Pick<Secrets, "decrypt"> },
  { metadata, encryptedMetadata }: Pick<Credential, "metadata" | "encryptedMetadata">,
): Promise<Metadata> {
  if (encryptedMetadata === null) return metadata;
  return { ...metadata, ...parseJson(await deploymentSecrets.decrypt(encryptedMetadata), SecretMetadata) };
}

/** A credential in the clear. Throws `InvalidToken` when no configured key opens it. */
export async function openCredential(deps: Deps, credential: Credential): Promise<HostingAccess> {
  const [token, metadata] = await Promise.all([
    deps.deploymentSecrets.decrypt(credential.encryptedToken),
    openMetadata(deps, credential),
  ]);
  return { token, metadata, isStandin: credential.isStandin };
}
