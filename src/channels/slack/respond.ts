import { z } from "zod";
import type { ApiEnvironment } from "../channel.ts";
import {
  answerJson,
  busy,
  callPlatform,
  type PlatformCall,
  retryAfterOf,
  unreachable,
} from "../platform-call.ts";
import { isResponseAddress, LABEL } from "./call.ts";

const outcome = z.looseObject({ ok: z.boolean() });

/**
 * Posts to the response URL of a command or a click. It is good for 30 minutes and five messages: returns false when
 * Slack takes no more, or when the address is not Slack's.
 */
export async function respond(
  environment: ApiEnvironment,
  responseUrl: string,
  message: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const url = URL.parse(responseUrl);
  if (url === null || !isResponseAddress(url, environment)) return false;
  const call: PlatformCall = {
    fetch: environment.fetch,
    label: LABEL,
    url: url.href,
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(message),
    isSend: true,
  };
  const answer = await callPlatform(call);
  if (answer.status === 429) throw busy(call, retryAfterOf(answer));
  if (answer.status >= 500) throw unreachable(call, `failed with status ${answer.status}`);
  // The answer is `ok`, or an object that says so.
  return answer.status < 300 && answerJson(answer, outcome)?.ok !== false;
}
