import { CommandError, reasonOf } from "../errors.ts";
import { EXIT, exitCodeOfStatus } from "../exit-codes.ts";
import { objectOf, parseJson, textOf, type JsonObject } from "../json.ts";

const TIMEOUT_MS = 30_000;

/** An answer of a sign-in endpoint, of any status. */
interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

/**
 * Posts to an endpoint that takes no credentials of the client: those that make them. Throws `CommandError` when the service
 * cannot be reached.
 */
export async function post(
  service: string,
  path: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  try {
    const response = await fetch(service + path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return {
      status: response.status,
      body: objectOf(parseJson(await response.text())),
      headers: response.headers,
    };
  } catch (error) {
    throw unreachable(service, error);
  }
}

/** The failure of a request that had no answer. */
function unreachable(service: string, error: unknown): CommandError {
  return new CommandError(
    EXIT.unreachable,
    "unreachable",
    `${service} cannot be reached: ${reasonOf(error)}`,
    "Check the address, and that the service runs. `workspace doctor` looks at both.",
  );
}

/** The failure that an answer tells. */
export function refusal({ status, body }: Answer): CommandError {
  const detail = textOf(body, "detail") ?? `The service responded with ${status}`;
  return new CommandError(exitCodeOfStatus(status), textOf(body, "error") ?? `http_${status}`, detail);
}

/** The tokens of a session; undefined for a refusal. */
export function tokensOf({
  status,
  body,
}: Answer): { accessToken: string; refreshToken: string | undefined } | undefined {
  const accessToken = textOf(body, "access_token");
  if (status !== 200 || accessToken === undefined) return undefined;
  return { accessToken, refreshToken: textOf(body, "refresh_token") };
}
