import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
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
 * Begins the sign-in of a program, which a person then approves in a browser. Throws `rate_limited` for an address with the
 * most open sign-ins.
 */
export async function beginDeviceSignIn(
  deps: { db: Db; config: { SECRET_KEY: string; PUBLIC_URL: string } & CeilingConfig<"device_sign_ins"> },
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
    // Another sign-in may have this user code: the next is another.
    if (!(await insertDeviceSignIn(deps, codes))) continue;
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
