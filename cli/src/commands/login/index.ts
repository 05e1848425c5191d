import { hostname } from "node:os";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { bold, green } from "../../output/styles.ts";
import type { Profile } from "../../session/profiles.ts";
import { LOCAL_SERVICE, serviceAddress } from "../../session/service-address.ts";
import { signInByDevice } from "./device.ts";
import { pairByLink } from "./pairing.ts";

export const login = command("login", {
  description: "Sign in to a service, in the browser",
  args: {
    address: { type: "positional", required: false, description: "Address of the service" },
    pair: {
      type: "string",
      valueHint: "link",
      description: "Exchange a pairing link for a key; - asks for the link, or reads it from standard input",
    },
  },
  async run(context, args) {
    if (args.address !== undefined && context.options.url !== undefined) {
      throw new UsageError("Name the address once");
    }
    const named = args.address ?? context.options.url ?? (context.environment["WORKSPACE_URL"] || undefined);
    const address = serviceAddress(named ?? LOCAL_SERVICE);
    const name = `workspace on ${hostname()}`.replaceAll(/[^\p{L}\p{N} ._-]/gu, "").slice(0, 100);
    const previous = await context.profiles.get(address);
    const profile =
      args.pair === undefined
        ? await signInByDevice(context, address, name)
        : await pairByLink(context, address, { link: args.pair, name });
    await context.profiles.set(address, profile);
    tell(context, address, profile);
    if (previous) await endQuietly(address, previous);
    if (context.environment["WORKSPACE_API_KEY"]) {
      context.output.note("WORKSPACE_API_KEY is set: commands use that key, not this sign-in.");
    }
  },
});

function tell({ output }: Context, address: string, profile: Profile): void {
  const account = profile.kind === "session" ? profile.account : undefined;
  output.show({ service: address, kind: profile.kind, account: account ?? null }, () => [
    [
      green("✓"),
      profile.kind === "key" ? " Paired with " : " Signed in to ",
      bold(address),
      ...(account === undefined ? [] : [" as ", bold(account)]),
    ],
  ]);
}

/** Ends what was replaced, so that it does not stay valid without an owner. It may have ended already. */
async function endQuietly(address: string, profile: Profile): Promise<void> {
  const { endAtService } = await import("../../session/end.ts");
  try {
    await endAtService(address, profile);
  } catch {
    // What is new works; the old one expires.
  }
}
