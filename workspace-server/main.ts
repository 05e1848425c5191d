import { startOutboundRelay } from "./outbound-relay.ts";
import { serve } from "./serve.ts";

/**
 * The program inside a project's sandbox.
 *
 *   workspace-server.mjs serve --root <directory> --listen <socket path | port | address:port>
 *   workspace-server.mjs git      one git operation: its request on stdin, its answer on stdout
 */
const [, , command, ...rest] = process.argv;
switch (command) {
  case "serve":
    await startOutboundRelay();
    await serve(rest);
    break;
  case "git": {
    await startOutboundRelay();
    const { runGit } = await import("./git/main.ts");
    await runGit();
    break;
  }
  default:
    process.stderr.write("usage: workspace-server.mjs serve --root <directory> --listen <address> | git\n");
    process.exitCode = 2;
}
