import { z } from "zod";
import { TeamParams } from "../team.ts";

export const MemberParams = TeamParams.extend({ user: z.string().describe("Id of the member's account") });
