import { z } from "zod";
import { ProjectParams } from "../project.ts";

export const MemberParams = ProjectParams.extend({
  user: z.string().describe("Id of the member's account"),
});
