import { command } from "../command.ts";
import { bold } from "../output/styles.ts";
import { openService } from "../service.ts";

export const whoami = command("whoami", {
  description: "Show the service and the account",
  async run(context) {
    const { address, caller, workspace } = await openService(context);
    if (caller === "key") {
      const { user_id, key_id, paired, expires_at } = await workspace.request(
        "GET",
        "/api/desktop/session/ping",
      );
      context.output.show({ service: address, kind: "key", user_id, key_id, paired, expires_at }, () => [
        ["API key ", bold(key_id), ` at ${address}`, expires_at === null ? "" : `, until ${expires_at}`],
      ]);
      return;
    }
    const { id, username, email } = await workspace.request("GET", "/api/users/me");
    context.output.show({ service: address, kind: "session", user_id: id, username, email }, () => [
      [bold(username), ` (${email}) at ${address}`],
    ]);
  },
});
