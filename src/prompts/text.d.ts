// Markdown pages are imported as text (`with { type: "text" }`); this tells the type checker so.

declare module "*.md" {
  const text: string;
  export default text;
}
