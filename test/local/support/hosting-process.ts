/** The stand-in for hosting providers in a process of its own, to be killed: `node hosting-process.ts <dataDir> <port>`. */
import { startHosting } from "#local/hosting/index.ts";

const [, , dataDir = "", port = "0"] = process.argv;
const { url } = await startHosting({
  dataDir,
  publicUrl: "http://service.test",
  log: () => undefined,
  preferredPort: Number(port),
  pace: { queued: 30, building: 60 },
});
process.stdout.write(`${url}\n`);
