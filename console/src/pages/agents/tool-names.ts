/** The tools of the service's agent by what they are for, with what each does. A test compares them with the service's own. */
export const TOOL_GROUPS: readonly {
  readonly name: string;
  readonly tools: Readonly<Record<string, string>>;
}[] = [
  {
    name: "Files",
    tools: {
      read_file: "Read a file",
      read_many_files: "Read several files",
      view_image: "Look at an image",
      list_dir: "List a folder",
      glob: "Find files by name",
      grep: "Search in files",
      write_file: "Write a file",
      patch_file: "Edit a file",
      multi_edit: "Make several edits",
    },
  },
  {
    name: "Commands",
    tools: {
      bash_exec: "Run a command",
      shell_open: "Open a shell",
      shell_exec: "Run in a shell",
      write_stdin: "Type into a shell",
      shell_close: "Close a shell",
    },
  },
  {
    name: "Git",
    tools: {
      git_status: "Show changed files",
      git_diff: "Show differences",
      git_log: "Show commits",
      git_blame: "Show who changed a line",
    },
  },
  {
    name: "Planning and memory",
    tools: {
      todos: "Keep a to-do list",
      update_plan: "Write a plan",
      memory_read: "Read its memory",
      memory_write: "Write to its memory",
      get_project_info: "Describe the project",
    },
  },
  {
    name: "Outside the project",
    tools: {
      web_fetch: "Read a web page",
      web_search: "Search the web",
      send_message: "Send a message to a channel",
      manage_schedule: "Manage schedules",
      mcp: "Use tools of MCP servers",
    },
  },
];
