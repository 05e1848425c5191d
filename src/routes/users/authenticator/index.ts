import type { Endpoint } from "#src/http/endpoint.ts";
import { confirmMyAuthenticator } from "./confirm.ts";
import { getMyAuthenticator } from "./get.ts";
import { renewMyRecoveryCodes } from "./renew-recovery-codes.ts";
import { setUpMyAuthenticator } from "./set-up.ts";
import { turnOffMyAuthenticator } from "./turn-off.ts";

export const authenticatorEndpoints: readonly Endpoint[] = [
  getMyAuthenticator,
  setUpMyAuthenticator,
  confirmMyAuthenticator,
  renewMyRecoveryCodes,
  turnOffMyAuthenticator,
];
