import { z } from "zod";
import { listAccounts } from "#src/domain/administration/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ListedUser, PageFields, Search } from "./user.ts";

const Flag = z.enum(["true", "false"]).transform((value) => value === "true");

export const listUsers = endpoint({
  operationId: "listUsers",
  method: "get",
  path: "/api/admin/users",
  summary: "List accounts",
  description: "Newest first.",
  tag: "Administration",
  access: { user: "superuser" },
  query: z.object({
    search: Search.optional().describe("Part of an address, username or name"),
    is_active: Flag.optional(),
    ...PageFields,
  }),
  response: {
    status: 200,
    schema: z.object({ users: z.array(ListedUser), total: z.int(), page: z.int(), pages: z.int() }),
  },
  handler: ({ services, query }) =>
    listAccounts(
      services,
      { search: query.search, isActive: query.is_active },
      { page: query.page, pageSize: query.page_size },
    ),
});
