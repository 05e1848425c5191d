import { expect, it } from "vitest";
import { z } from "zod";
import { acceptedBody } from "#src/http/accepted-body.ts";
import { endpoints } from "#src/routes/index.ts";

const changing = endpoints.filter(({ method, schemas }) => method === "patch" && schemas.body);

/** Fields that an answer shows. */
function shownFields(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

it.each(changing)("$method $path takes the fields that it changes, and no others", (endpoint) => {
  const { schemas, example, method, response } = endpoint;
  const body = acceptedBody(method, schemas.body ?? z.never());
  const known = schemas.body instanceof z.ZodObject ? Object.keys(schemas.body.shape) : [];
  const sent = z.record(z.string(), z.unknown()).parse(example);
  expect(body.safeParse(sent).success).toBe(true);
  const unchangeable = shownFields(response.schema).filter((field) => !known.includes(field));
  for (const field of ["no_such_field", ...unchangeable]) {
    const parsed = body.safeParse({ ...sent, [field]: null });
    expect([field, parsed.error?.issues]).toMatchObject([
      field,
      [{ code: "unrecognized_keys", keys: [field] }],
    ]);
  }
});
