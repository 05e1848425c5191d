import { z } from "zod";
import { ROLES } from "#src/domain/access/index.ts";
import type { ProjectMember as StoredMember } from "#src/domain/projects/index.ts";
import { Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";

export const MemberParams = ProjectParams.extend({
  user: z.string().describe("Id of the member's account"),
});

export const Role = z.enum(ROLES);

/** Somebody with a role of their own in a project, which counts in place of the one in its team. */
export const ProjectMember = z
  .object({
    user_id: z.uuid(),
    name: z.string(),
    username: z.string(),
    email: z.string(),
    avatar_url: z.string().nullable(),
    role: Role,
    joined_at: Moment,
  })
  .meta({ id: "ProjectMember" });

export function describeMember(member: StoredMember): z.input<typeof ProjectMember> {
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
