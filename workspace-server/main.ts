import { startOutboundRelay } from "./outbound-relay.ts";
import { serve } from "./serve.ts";

/**
 * The program inside a project's sandbox.
 *
 *   workspace-server.mjs serve --root <directory> --listen <socket path | port | address:port> --secret-sha256 <hex>
 *   workspace-server.mjs git      one git operation: its request on stdin, its response on stdout
 *   workspace-server.mjs command  one command, in the same way
 */
// Files of a project have the usual modes, whatever the process that starts this one keeps private.
process.umask(0o022);

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
  case "command": {
    const { runOneCommand } = await import("./programs/one-command.ts");
    await runOneCommand();
    break;
  }
  default:
    process.stderr.write(
      "usage: workspace-server.mjs serve --root <directory> --listen <address> --secret-sha256 <hex> | git | command\n",
    );
    process.exitCode = 2;
}
