import { z } from "zod";
import { ROLES } from "#src/domain/access/permissions/index.ts";
import type { Member as StoredMember } from "#src/domain/programs/members/index.ts";
import { Moment } from "#src/http/schemas.ts";

export const Role = z.enum(ROLES);

/** Position in a list of members: when a person joined, and the account. */
export const MemberCursor = z
  .string()
  .transform((cursor) => cursor.split("_"))
  .pipe(z.tuple([Moment, z.uuid()]))
  .transform(([joinedAt, userId]) => ({ joinedAt: new Date(joinedAt), userId }));

export function memberCursor({ joinedAt, userId }: StoredMember): string {
  return `${joinedAt.toISOString()}_${userId}`;
}

/** A person with a role in a team or in a project. */
export const Member = z
  .object({
    user_id: z.uuid(),
    name: z.string(),
    username: z.string(),
    email: z.string(),
    avatar_url: z.string().nullable().describe("Also null for a picture that is not stored at an address"),
    role: Role,
    joined_at: Moment,
  })
  .meta({ id: "Member" });

export function describeMember(member: StoredMember): z.input<typeof Member> {
  return {
    user_id: member.userId,
    name: member.name,
    username: member.username,
    email: member.email,
    avatar_url: member.avatarUrl,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
  };
}
