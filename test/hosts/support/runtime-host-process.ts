import { startRuntimeHost } from "#hosts/runtime-host/index.ts";
import { ROOMY } from "./runtime-host.ts";

/** A runtime host as a process of its own, over the folder that is its argument; says where it answers. */
const [, , dataDir = ""] = process.argv;
const { url } = await startRuntimeHost({
  dataDir,
  limits: ROOMY,
  outbound: { allowPrivate: false, allowedOrigins: [] },
  network: true,
  log: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${url}\n`);
