import { readdirSync } from "node:fs";

/** The file that every project of an estate has. */
export const FILE = "notes/a.txt";

/** Values of fields and parameters that are the same for each person. */
export const FIXED_SAMPLES = {
  provider: "github",
  git_host: "gitlab",
  hosting_provider: "vercel",
  access_token: "standin_sample",
  owner: "octo",
  repository: "private",
  repo_url: "https://git.invalid/octo/app",
  git_repo_url: "https://git.invalid/octo/app",
  branch: "main",
  base_url: "https://models.invalid/v1",
  channel_type: "cli",
  schedule: "every friday at 17:00",
  prompt: "Say hello",
  message: "a message",
  guide_page: "streams",
  console_file: readdirSync("public/app/assets")[0],
  console_path: "projects/app",
  payment_event: "evt_none",
  job_kind: "deliver-callback",
  job: "none",
  session_id: "cs_test_none",
  subscription: "sub_none",
  name: "sample",
  new_name: "renamed",
  primaryApp: "",
  content: "text",
  file_path: FILE,
  dir_path: "notes/more",
  old_path: FILE,
  new_path: "notes/b.txt",
  paths: [FILE],
};
