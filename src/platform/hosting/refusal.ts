import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { retryAfterIn } from "#src/lib/remote-rate-limit.ts";
import { HostingFailure } from "./failure.ts";
import { reasonOf } from "./scrub.ts";

/** A response with a status other than 2xx. */
export interface Refusal {
  status: number;
  text: string;
  /** The provider's words, scrubbed; empty when there are none. */
  reason: string;
  retryAfterSeconds: number | undefined;
}

const text = z.string().min(1).optional().catch(undefined);
const Said = z.object({ message: text, error: text }).optional().catch(undefined);

/**
 * Where the five providers put their words: Vercel in `error.message`, Netlify and Heroku in `message`, DigitalOcean in
 * `message`, Cloudflare in `errors[].message`, and Netlify's invalid fields in `errors.<field>[]`.
 */
const Words = z.object({
  message: text,
  error: z
    .union([z.string(), z.object({ message: text })])
    .optional()
    .catch(undefined),
  error_description: text,
  errors: z
    .union([z.array(Said), z.record(z.string(), z.array(z.string()))])
    .optional()
    .catch(undefined),
});

export function refusalOf(
  answer: { status: number; text: string; retryAfter: string | null },
  scrub: (text: string) => string,
): Refusal {
  const said = safeParseJson(answer.text, Words)?.value;
  return {
    status: answer.status,
    text: answer.text,
    reason: said ? reasonOf(wordsOf(said), scrub) : "",
    retryAfterSeconds: retryAfterIn(answer.retryAfter),
  };
}

function wordsOf({ message, error, error_description, errors }: z.output<typeof Words>): string {
  if (Array.isArray(errors)) {
    const all = errors.flatMap((each) => each?.message ?? []);
    if (all.length > 0) return all.join("; ");
  } else if (errors) {
    return Object.entries(errors)
      .map(([field, problems]) => `${field} ${problems.join(", ")}`)
      .join("; ");
  }
  return message ?? (typeof error === "string" ? (error_description ?? error) : error?.message) ?? "";
}

/** What a refusal means where its call gives it no meaning of its own. */
export function failureOf(label: string, refusal: Refusal): HostingFailure {
  const { status, reason, retryAfterSeconds } = refusal;
  const because = reason === "" ? "" : `: ${reason}`;
  switch (status) {
    case 401:
      return new HostingFailure("unauthorized", `${label} refuses the credential${because}`);
    case 403:
      return new HostingFailure("unauthorized", `${label} does not allow this with the credential${because}`);
    case 404:
    case 410:
      return new HostingFailure("not_found", `${label} has no such site or deployment${because}`);
    case 429:
      return new HostingFailure(
        "rate_limited",
        `${label} asks for fewer requests${because}`,
        retryAfterSeconds,
      );
    case 408:
    case 425:
      return new HostingFailure("unavailable", `${label} does not answer in time`, retryAfterSeconds);
    default: {
      // It is not followed with the token, and another attempt would meet it as well.
      if (status >= 300 && status < 400) {
        return new HostingFailure("refused", `${label} leads to another address (status ${status})`);
      }
      if (status >= 400 && status < 500) {
        return new HostingFailure("refused", `${label} refuses this${because || ` with status ${status}`}`);
      }
      const what = status >= 500 ? "has a failure" : "does not answer as expected";
      return new HostingFailure("unavailable", `${label} ${what} (status ${status})`, retryAfterSeconds);
    }
  }
}
