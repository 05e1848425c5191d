import type { Client } from "#src/domain/people/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { newToken } from "#src/lib/random-token.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { newUserCode, userCodeHash } from "./codes.ts";
import { insertDeviceSignIn } from "./queries.ts";

/** Seconds in which a person can enter the code. */
const LIFE_SECONDS = 600;

/** Seconds between two polls; `slow_down` adds to it. */
const INTERVAL_SECONDS = 5;

/** Most sign-ins of one address that wait for a person. */
const MAX_OPEN = 10;

/** What a program needs to sign in. Both codes are only returned here. Source: RFC 8628, section 3.2. */
interface DeviceSignInRequest {
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  /** With the user code in the fragment, which browsers send to no server. */
  verificationUriComplete: string;
  expiresIn: number;
  interval: number;
}

/**
 * Begins the sign-in of a program, which a person then approves in a browser. Throws `rate_limited` when ten sign-ins from
 * this address are open.
 */
export async function beginDeviceSignIn(
  deps: { db: Db; config: { SECRET_KEY: string; PUBLIC_URL: string } },
  clientName: string,
  client: Client,
): Promise<DeviceSignInRequest> {
  const { token: deviceCode, hash: deviceCodeHash } = newToken();
  const page = `${withoutSlash(deps.config.PUBLIC_URL)}/device`;
  const request = {
    id: newId(),
    deviceCodeHash,
    clientName,
    ipAddress: client.address,
    network: networkOf(client.address),
    intervalSeconds: INTERVAL_SECONDS,
    lifeSeconds: LIFE_SECONDS,
  };
  for (;;) {
    const userCode = newUserCode();
    const codes = { ...request, userCodeHash: userCodeHash(deps.config.SECRET_KEY, userCode) };
    const outcome = await insertDeviceSignIn(deps.db, MAX_OPEN, codes);
    if ("roomInSeconds" in outcome) throw tooMany(outcome.roomInSeconds);
    // Another sign-in has this user code: the next is another.
    if (!outcome.stored) continue;
    return {
      deviceCode,
      userCode,
      verificationUri: page,
      verificationUriComplete: `${page}#code=${userCode}`,
      expiresIn: LIFE_SECONDS,
      interval: INTERVAL_SECONDS,
    };
  }
}

function tooMany(seconds: number): AppError {
  return new AppError(
    "rate_limited",
    `Maximum of ${MAX_OPEN} open sign-ins from one address: finish one of them, or wait until the oldest has expired`,
    { retryAfterSeconds: seconds },
  );
}
