import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { newKeySecrets } from "#src/domain/programs/api-keys/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { scopesOfDevice } from "./device-scopes.ts";
import { grantDevice, holderOfPairing, type Grant, type NewDevice } from "./queries.ts";

interface PairingDeps {
  db: Db;
  secrets: Secrets;
  config: CeilingConfig<"desktop_devices" | "api_keys">;
}

/** A desktop app as it describes itself. */
export type DeviceInput = Omit<NewDevice, "id">;

export interface PairedDevice {
  deviceId: string;
  apiKeyId: string;
  /** The raw key, which is only returned here. */
  token: string;
  scopes: string[];
}

/**
 * Exchanges a pairing token for a key. Of concurrent requests with one token, only the first receives a key. The
 * session that created the token may have ended, but its owner must be active. Throws `unauthenticated` with the same
 * sentence for every invalid token; `invalid_input` at the limit of devices or keys, which leaves the token usable;
 * `rate_limited`.
 */
export async function exchangePairing(
  deps: PairingDeps & { attempts: AttemptLimits },
  token: string,
  device: DeviceInput,
  client: Client,
): Promise<PairedDevice> {
  const attempt = await beginAttempt(deps, "pairing", { address: client.address });
  const tokenHash = sha256Hex(token);
  const [holder] = await holderOfPairing(deps.db, tokenHash);
  try {
    const paired = holder && (await grant(deps, { ...holder, admission: { tokenHash } }, device, client));
    if (!paired) throw invalidToken();
    await attempt.succeeded();
    return paired;
  } catch (error) {
    // Of a ceiling: the token was valid, so the refusal does not count as a guess.
    if (error instanceof AppError && error.code === "invalid_input") await attempt.succeeded();
    throw error;
  }
}

function invalidToken(): AppError {
  return new AppError("unauthenticated", "Pairing token is invalid or expired: ask for a new one");
}

/**
 * Creates a key for a desktop app without a pairing token, for apps that receive the key directly. Throws
 * `invalid_input` and `forbidden` for permissions, `invalid_input` at the limit of devices or keys.
 */
export async function pairDevice(
  deps: PairingDeps,
  caller: UserCaller,
  input: { device: DeviceInput; scopes: readonly string[] | null },
  client: Client,
): Promise<PairedDevice> {
  const team = await requireTeam(deps, caller, "team.view");
  const admission = { scopes: scopesOfDevice(input.scopes, team) };
  const holder = { userId: caller.userId, teamId: team.teamId };
  const paired = await grant(deps, { ...holder, admission }, input.device, client);
  if (!paired) throw new AppError("unauthenticated", "Unauthorized");
  return paired;
}

async function grant(
  deps: PairingDeps,
  holder: Pick<Grant, "userId" | "teamId" | "admission">,
  input: DeviceInput,
  client: Client,
): Promise<PairedDevice | undefined> {
  const { token, stored } = await newKeySecrets(deps);
  const device = { ...input, id: newId() };
  const scopes = await grantDevice(
    deps,
    { ...holder, key: stored, device },
    {
      action: "desktop.paired",
      resourceType: "desktop_device",
      details: { api_key_id: stored.id, name: device.name, platform: device.platform },
      client,
    },
  );
  return scopes && { deviceId: device.id, apiKeyId: stored.id, token, scopes };
}
