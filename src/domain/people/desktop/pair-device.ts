import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { MAX_ACTIVE_KEYS, newKeySecrets } from "#src/domain/organisations/api-keys/index.ts";
import { beginAttempt } from "#src/domain/operations/attempts/index.ts";
import type { Client } from "#src/domain/people/sessions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AttemptLimits } from "#src/platform/objects/attempt-limits.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { scopesOfDevice } from "./device-scopes.ts";
import { grantDevice, holderOfPairing, type Grant, type NewDevice } from "./queries.ts";

/** Most paired desktop apps of one account. */
const MAX_DEVICES = 10;

interface PairingDeps {
  db: Db;
  secrets: Secrets;
}

/** A desktop app as it describes itself. */
export type DeviceWish = Omit<NewDevice, "id">;

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
  device: DeviceWish,
  client: Client,
): Promise<PairedDevice> {
  const attempt = await beginAttempt(deps, "pairing", { address: client.address });
  const tokenHash = sha256Hex(token);
  const [holder] = await holderOfPairing(deps.db, tokenHash);
  const outcome = holder && (await grant(deps, { ...holder, admission: { tokenHash } }, device, client));
  if (!outcome)
    throw new AppError("unauthenticated", "Pairing token is invalid or expired: ask for a new one");
  // The token was valid, so the refusal does not count as a guess.
  await attempt.succeeded();
  return pairedOrRefused(outcome);
}

/**
 * Creates a key for a desktop app without a pairing token, for apps that receive the key directly. Throws
 * `invalid_input` and `forbidden` for permissions, `invalid_input` at the limit of devices or keys.
 */
export async function pairDevice(
  deps: PairingDeps,
  caller: UserCaller,
  wish: { device: DeviceWish; scopes: readonly string[] | null },
  client: Client,
): Promise<PairedDevice> {
  const team = await requireTeam(deps, caller, "team.view");
  const admission = { scopes: scopesOfDevice(wish.scopes, team) };
  const holder = { userId: caller.userId, teamId: team.teamId };
  const outcome = await grant(deps, { ...holder, admission }, wish.device, client);
  if (!outcome) throw new AppError("unauthenticated", "Unauthorized");
  return pairedOrRefused(outcome);
}

interface Outcome {
  granted: boolean;
  devices: number;
  paired: PairedDevice;
}

async function grant(
  deps: PairingDeps,
  holder: Pick<Grant, "userId" | "teamId" | "admission">,
  wish: DeviceWish,
  client: Client,
): Promise<Outcome | undefined> {
  const { token, stored } = await newKeySecrets(deps);
  const device = { ...wish, id: newId() };
  const made = await grantDevice(
    deps.db,
    { keys: MAX_ACTIVE_KEYS, devices: MAX_DEVICES },
    { ...holder, key: stored, device },
    {
      action: "desktop.paired",
      resourceType: "desktop_device",
      details: { api_key_id: stored.id, name: device.name, platform: device.platform },
      client,
    },
  );
  if (!made) return undefined;
  const paired = { deviceId: device.id, apiKeyId: stored.id, token, scopes: made.scopes };
  return { granted: made.granted, devices: made.devices, paired };
}

function pairedOrRefused({ granted, devices, paired }: Outcome): PairedDevice {
  if (granted) return paired;
  throw new AppError(
    "invalid_input",
    devices >= MAX_DEVICES
      ? `Maximum of ${MAX_DEVICES} paired devices: unpair one first`
      : `Maximum of ${MAX_ACTIVE_KEYS} active API keys allowed, device keys included: revoke one first`,
  );
}
