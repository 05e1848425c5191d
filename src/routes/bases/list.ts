import { z } from "zod";
import { listBases as findBases } from "#src/domain/bases/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Base, describeBase } from "./base.ts";

export const listBases = endpoint({
  method: "get",
  path: "/api/bases",
  summary: "Templates that projects can be made from: one's own and the public ones",
  tag: "Templates",
  access: { userOrKey: "marketplace.read" },
  response: { status: 200, schema: z.array(Base) },
  handler: async ({ services, caller }) => (await findBases(services, caller)).map(describeBase),
});
