/** The body of a refused call. https://docs.stripe.com/api/errors */
interface ApiErrorBody {
  type: "invalid_request_error" | "card_error" | "api_error" | "idempotency_error";
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
}

/** A refused call, in Stripe's form. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ApiErrorBody;
  /** Whether the call had begun: Stripe stores such an outcome under the idempotency key. */
  readonly hasBegun: boolean;

  constructor(status: number, body: ApiErrorBody, { hasBegun = true }: { hasBegun?: boolean } = {}) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
    this.hasBegun = hasBegun;
  }
}

/** A parameter that the call cannot use; found before the call begins. */
export function invalidParameter(message: string, param?: string, code?: string): ApiError {
  return new ApiError(
    400,
    {
      type: "invalid_request_error",
      message,
      ...(param !== undefined && { param }),
      ...(code !== undefined && { code }),
    },
    { hasBegun: false },
  );
}

/** A call that the state of an object does not permit. */
export function invalidRequest(message: string, code?: string): ApiError {
  return new ApiError(400, {
    type: "invalid_request_error",
    message,
    ...(code !== undefined && { code }),
  });
}

/** An object that does not exist: 404 for the one that the path names, 400 for one in a parameter. */
export function missingObject(kind: string, id: string, param?: string): ApiError {
  return new ApiError(param === undefined ? 404 : 400, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${kind.replaceAll(/[._]/gu, " ")}: '${id}'`,
    param: param ?? "id",
  });
}
