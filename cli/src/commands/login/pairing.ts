import { text } from "node:stream/consumers";
import type { Context } from "../../context.ts";
import { stopped, UsageError } from "../../errors.ts";
import { textOf } from "../../json.ts";
import type { KeyProfile } from "../../session/profiles.ts";
import { post, refusal } from "../../session/sign-in-requests.ts";

/**
 * Exchanges a pairing link for a key. The link works once and for minutes only, so that it may be an argument; `-` asks for it,
 * or reads it from standard input.
 */
export async function pairByLink(
  context: Context,
  service: string,
  { link, name }: { link: string; name: string },
): Promise<KeyProfile> {
  const token = tokenOf(link === "-" ? await readLink(context) : link);
  const answer = await post(service, "/api/desktop/pair/exchange", {
    token,
    device_name: name,
    device_platform: process.platform,
  });
  const key = textOf(answer.body, "token");
  if (answer.status !== 200 || key === undefined) throw refusal(answer);
  return { kind: "key", key };
}

async function readLink({ input }: Context): Promise<string> {
  if (!input.canAsk) {
    if (process.stdin.isTTY) throw new UsageError("Give the pairing link on standard input");
    return (await text(process.stdin)).trim();
  }
  const { password } = await import("@clack/prompts");
  const link = await password({ message: "Pairing link (from the account page)", output: process.stderr });
  if (typeof link !== "string") throw stopped();
  return link.trim();
}

/** The token of a link `…://pair?token=…`, or the token itself. */
function tokenOf(link: string): string {
  const token = URL.canParse(link) ? new URL(link).searchParams.get("token") : link;
  if (!token || /\s/u.test(token)) throw new UsageError("That is not a pairing link");
  return token;
}
