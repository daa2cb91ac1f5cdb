// Types for the installers, which are imported as text (`with { type: "text" }`).

declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.ps1" {
  const text: string;
  export default text;
}
