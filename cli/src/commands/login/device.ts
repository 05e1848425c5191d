import { setTimeout as pause } from "node:timers/promises";
import { Workspace } from "@agent-workspace/client";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { openBrowser } from "../../input/open-browser.ts";
import { numberOf, textOf } from "../../json.ts";
import { bold } from "../../output/styles.ts";
import type { SessionProfile } from "../../session/profiles.ts";
import { post, refusal, tokensOf } from "../../session/sign-in-requests.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const DEFAULT_INTERVAL_SECONDS = 5;
/** By which a program that was told to slow down has to. Source: RFC 8628, section 3.5. */
const SLOWER_BY_SECONDS = 5;

/** What the service told at the beginning. */
interface Begun {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  /** With the code in it. */
  readonly completeAddress: string;
  readonly intervalSeconds: number;
  readonly expiresAt: number;
}

/**
 * Signs in by a browser, on this machine or another one: shows an address and a code, and waits until a person has decided.
 * Throws when they deny, and when the code expires. Source: RFC 8628.
 */
export async function signInByDevice(
  context: Context,
  service: string,
  name: string,
): Promise<SessionProfile> {
  const begun = await begin(service, name);
  show(context, begun);
  const tokens = await decided(service, begun);
  const workspace = new Workspace({
    baseUrl: service,
    accessToken: () => tokens.accessToken,
    fetch: context.fetch,
  });
  const { username } = await workspace.request("GET", "/api/users/me");
  return { kind: "session", ...tokens, account: username };
}

async function begin(service: string, name: string): Promise<Begun> {
  const answer = await post(service, "/api/auth/device/code", { client_name: name });
  const { body } = answer;
  const [deviceCode, userCode] = [textOf(body, "device_code"), textOf(body, "user_code")];
  const address = textOf(body, "verification_uri");
  if (answer.status !== 200 || !deviceCode || !userCode || !address) throw refusal(answer);
  return {
    deviceCode,
    userCode,
    address,
    completeAddress: textOf(body, "verification_uri_complete") ?? address,
    intervalSeconds: numberOf(body, "interval") ?? DEFAULT_INTERVAL_SECONDS,
    expiresAt: Date.now() + (numberOf(body, "expires_in") ?? 0) * 1000,
  };
}

function show({ output, input, environment }: Context, { userCode, address, completeAddress }: Begun): void {
  const isOpened = input.canAsk && openBrowser(completeAddress, environment);
  output.note(isOpened ? "Your browser opens " : "Open ", bold(address));
  output.note("and enter the code ", bold(userCode), " (approve only if it is the same there).");
}

async function decided(
  service: string,
  { deviceCode, intervalSeconds, expiresAt }: Begun,
): Promise<Pick<SessionProfile, "accessToken" | "refreshToken">> {
  let seconds = intervalSeconds;
  while (Date.now() < expiresAt) {
    await pause(seconds * 1000);
    const question = { grant_type: GRANT, device_code: deviceCode };
    const answer = await post(service, "/api/auth/device/token", question).catch(() => undefined);
    if (!answer) {
      // A lost connection decides nothing. Source: RFC 8628, section 3.5.
      seconds *= 2;
      continue;
    }
    const tokens = tokensOf(answer);
    if (tokens) return tokens;
    const error = textOf(answer.body, "error");
    if (error === "authorization_pending") continue;
    if (error === "access_denied") throw new CommandError(EXIT.refused, error, "The sign-in was denied");
    if (error === "expired_token") throw expired();
    // 429, and what passes, are told in the same way.
    if (error !== "slow_down" && answer.status !== 429 && answer.status < 500) throw refusal(answer);
    seconds += SLOWER_BY_SECONDS;
  }
  throw expired();
}

function expired(): CommandError {
  return new CommandError(
    EXIT.notSignedIn,
    "expired_token",
    "The code has expired",
    "Run `workspace login` again.",
  );
}
