import { z } from "zod";
import type { ApiRequest } from "#test/support/api-client.ts";
import type { SharedService } from "#test/support/shared-service.ts";

export const Made = z.looseObject({ id: z.string() });

/** As `service.call`, where anything but success is a broken test. */
export async function ask<T extends z.ZodType>(
  service: SharedService,
  [method, path]: [method: string, path: string],
  request: ApiRequest,
  schema: T,
): Promise<z.output<T>> {
  const { status, text, body } = await service.call(method, path, request);
  if (status >= 300) {
    throw new Error(`The estate was not made: ${method} ${path} answered ${status}: ${text}`);
  }
  return schema.parse(body);
}
