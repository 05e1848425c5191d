import { command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { findTarget } from "../service.ts";
import { endAtService } from "../session/end.ts";

export const logout = command("logout", {
  description: "End the session, here and at the service",
  async run(context) {
    if (context.environment["WORKSPACE_API_KEY"]) {
      throw new UsageError(
        "WORKSPACE_API_KEY is set: unset it to sign out",
        "`workspace keys revoke` ends a key.",
      );
    }
    const { address, profile } = await findTarget(context);
    const isSignedIn = profile !== undefined;
    if (profile) {
      await endAtService(address, profile, context.profiles);
      await context.profiles.remove(address);
    }
    context.output.show(
      { service: address, ended: isSignedIn },
      isSignedIn ? `Signed out of ${address}` : `You were not signed in to ${address}`,
    );
  },
});
