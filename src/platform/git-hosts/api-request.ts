import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { limitIn, limitSentence } from "#src/lib/remote-rate-limit.ts";
import type { ProviderFetch } from "#src/platform/oauth/provider-fetch.ts";

/** Sends a GET to a host's API and parses the response. Throws as `GitHost` does. */
export type ApiRequest = <T>(
  path: string,
  schema: z.ZodType<T>,
  headers: Readonly<Record<string, string>>,
) => Promise<T>;

export function createApiRequest(host: { label: string; apiUrl: string; fetch: ProviderFetch }): ApiRequest {
  const { label, apiUrl, fetch } = host;
  return async (path, schema, headers) => {
    const response = await fetch(apiUrl + path, { headers }).catch((error: unknown) => {
      throw new AppError("unavailable", `${label} does not answer: try again later`, { cause: error });
    });
    const limit = limitIn(response);
    if (limit) {
      throw new AppError("rate_limited", limitSentence(label, limit.seconds), {
        retryAfterSeconds: limit.seconds,
      });
    }
    if (response.status >= 300 && response.status < 400) {
      // A redirect is not followed with a token, and another attempt would meet it as well.
      throw new AppError(
        "not_found",
        `${label} leads to another address: the repository was moved or renamed, or the address of the API is wrong`,
      );
    }
    switch (response.status) {
      case 401:
        throw new AppError("unauthenticated", `${label} refused the credentials`);
      case 403:
        throw new AppError("forbidden", `${label} does not allow this with the credentials it was given`);
      case 404:
        throw new AppError("not_found", `${label} has no such repository, or does not show it to you`);
      default: {
        const parsed = response.ok ? safeParseJson(await response.text(), schema) : undefined;
        if (parsed) return parsed.value;
        throw new AppError("unavailable", `${label} does not answer as expected: try again later`, {
          cause: new Error(`Status ${response.status} and no body of the expected shape`),
        });
      }
    }
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Builds a path of names, which may hold any characters. */
export const pathOf = (...names: string[]) => names.map(encodeURIComponent).join("/");
