import type { Endpoint } from "#src/http/endpoint.ts";
import { complete } from "./complete.ts";
import { exchange } from "./exchange.ts";
import { listDevices } from "./list-devices.ts";
import { mint } from "./mint.ts";
import { ping } from "./ping.ts";
import { revoke } from "./revoke.ts";
import { unpair } from "./unpair.ts";

export const desktopEndpoints: readonly Endpoint[] = [
  mint,
  exchange,
  complete,
  ping,
  revoke,
  listDevices,
  unpair,
];
