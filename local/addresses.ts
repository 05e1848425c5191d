import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";

const Addresses = z.object({
  url: z.string(),
  callbacksUrl: z.string().optional(),
  mailUrl: z.string().optional(),
  chatPlatformUrl: z.string().optional(),
  stripeUrl: z.string().optional(),
  hostingUrl: z.string().optional(),
});

/** Addresses of a running service, for programs on the same machine. */
export type Addresses = z.infer<typeof Addresses>;

const FILE = "addresses.json";

export function writeAddresses(dataDir: string, addresses: Addresses): void {
  writeFileSync(path.join(dataDir, FILE), JSON.stringify(addresses));
}

/** Returns the addresses of the service that was last started on a data folder; throws when there was none. */
export function readAddresses(dataDir: string): Addresses {
  return parseJson(readFileSync(path.join(dataDir, FILE), "utf8"), Addresses);
}
