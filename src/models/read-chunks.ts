import type { z } from "zod";
import { errorInFrame } from "./error-body.ts";
import { ModelError } from "./model.ts";
import { badResponse, connectionFailure, type FailedAnswer, type AnswerOrigin } from "./provider-failure.ts";

type ErrorClass<T> = abstract new (...args: never[]) => T;

/** The error classes of a vendor's SDK. Both vendors generate their SDKs with one tool, so both fail alike. */
export interface SdkErrors {
  APIError: ErrorClass<{ status: number | undefined; error: unknown; headers: Headers | undefined }>;
  APIConnectionError: ErrorClass<Error>;
}

/**
 * Reads an SDK's stream as validated chunks, and throws every problem as a `ModelError`. An aborted signal takes
 * precedence over every other outcome: the SDKs end an aborted stream as though it were complete.
 */
export async function* readChunks<T>(options: {
  open: () => Promise<AsyncIterable<unknown>>;
  schema: z.ZodType<T>;
  signal: AbortSignal;
  errors: SdkErrors;
  origin: AnswerOrigin;
  toError: (origin: AnswerOrigin, answer: FailedAnswer) => ModelError;
}): AsyncGenerator<T> {
  const { open, schema, signal, origin } = options;
  signal.throwIfAborted();
  try {
    for await (const raw of await open()) {
      const body = errorInFrame(raw);
      if (body !== undefined) throw options.toError(origin, { status: undefined, body, headers: undefined });
      const chunk = schema.safeParse(raw);
      if (!chunk.success)
        throw badResponse(origin, "sent a chunk that does not follow its protocol", chunk.error);
      yield chunk.data;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toModelError(error, options);
  }
  signal.throwIfAborted();
}

function toModelError(
  error: unknown,
  { errors, origin, toError }: Pick<Parameters<typeof readChunks>[0], "errors" | "origin" | "toError">,
): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof errors.APIConnectionError) {
    const { cause } = error;
    return cause instanceof ModelError ? cause : connectionFailure(origin, cause ?? error);
  }
  if (error instanceof errors.APIError) {
    return toError(origin, { status: error.status, body: error.error, headers: error.headers });
  }
  if (error instanceof SyntaxError) return badResponse(origin, "sent a chunk that is not JSON", error);
  // The remaining cause is a broken body: each runtime names a lost connection differently.
  return connectionFailure(origin, error);
}
