import { once } from "node:events";
import { existsSync, mkdirSync, realpathSync, statSync, unlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { parseArgs } from "node:util";
import { upgradeToPort } from "./ports/upgrade.ts";
import { Workspace } from "./workspace.ts";
import { answer } from "./http/answer.ts";
import { createRouter } from "./http/router.ts";
import { routes } from "./http/routes.ts";
import { secretCheck } from "./http/secret.ts";

/** Serves one project directory until a signal ends it, with everything that it has started. */
export async function serve(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      root: { type: "string" },
      listen: { type: "string" },
      "secret-sha256": { type: "string" },
      "ending-file": { type: "string" },
    },
  });
  if (values.root === undefined || values.listen === undefined) {
    throw new Error("serve needs --root and --listen");
  }
  const checkSecret = secretCheck(values["secret-sha256"] ?? "");
  mkdirSync(values.root, { recursive: true });
  const workspace = await Workspace.open(realpathSync(values.root), values["ending-file"]);

  const route = createRouter(routes(workspace));
  const server = createServer((request, response) => void answer(request, response, { route, checkSecret }));
  server.on("upgrade", (request, socket, head) => upgradeToPort(request, { socket, head, checkSecret }));
  // A body may take any time, and a connection in a holder's pool must not close under its next request.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await listen(server, values.listen);

  const end = async () => {
    await workspace.stopAll("The project's workspace was ended");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end());
}

async function listen(server: Server, address: string): Promise<void> {
  if (address.includes("/")) {
    // Left by an earlier server; a file of another kind must not be removed.
    if (existsSync(address) && statSync(address).isSocket()) unlinkSync(address);
    server.listen(address);
  } else {
    const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d+)$/.exec(address) ?? [];
    if (port === undefined) throw new Error(`--listen: ${address} is neither a path nor a port`);
    server.listen(Number(port), host);
  }
  await once(server, "listening");
  const bound = server.address();
  process.stdout.write(`listening ${typeof bound === "object" && bound !== null ? bound.port : address}\n`);
}
