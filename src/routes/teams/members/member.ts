import { z } from "zod";
import type { Member as StoredMember } from "#src/domain/members/index.ts";
import { Moment } from "#src/http/schemas.ts";
import { Role, TeamParams } from "../team.ts";

export const MemberParams = TeamParams.extend({ user: z.string().describe("Id of the member's account") });

/** Somebody in a team. */
export const Member = z
  .object({
    user_id: z.uuid(),
    name: z.string(),
    username: z.string(),
    email: z.string(),
    avatar_url: z.string().nullable(),
    role: Role,
    joined_at: Moment,
  })
  .meta({ id: "TeamMember" });

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
