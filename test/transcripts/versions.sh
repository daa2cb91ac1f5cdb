# What agents are told, with a version for every change, and a plain git that agrees.

gsv context list
#! gsv: created a home at /tmp/x/home
#! no context yet: gsv context add 10-style 'Answer in German.'
gsv mkdir -p '~/context.d'
echo '# Me' | gsv cp - '~/context.d/20-me.md'
EDITOR='sed -i s/Me/You/' gsv edit '~/context.d/20-me.md'
#! wrote ~/context.d/20-me.md
gsv repo log
#> …  sam  write context.d/20-me.md
#> …  sam  write context.d/20-me.md
git -C $GSV_HOME/repos/sam/home log --format='%an <%ae> %s'
#> sam <sam@gsv> write context.d/20-me.md
#> sam <sam@gsv> write context.d/20-me.md
gsv context show 20-me
#> # You

# What is saved with an editor is a version within a second, and what was can come back.
echo 'by hand' >> $GSV_HOME/repos/sam/home/context.d/20-me.md
for n in $(seq 200); do gsv repo log --limit 1 | grep -q edit && break; sleep 0.1; done; gsv repo show | tail -n 2
#>  # You
#> +by hand
gsv repo restore context.d/20-me.md --ref HEAD~2
#> sam/home is at …
gsv context show
#> # Me
gsv repo restore none.md
#! gsv: not under version control: none.md
#!   versioned in a home: context.d, skills.d, knowledge
#= 2

# A copy elsewhere, and one that any git makes.
git init -q --bare -b main $HOME/copy.git && gsv repo sync $HOME/copy.git
#> sam/home is at …: 0 fetched, 4 pushed
git clone -q $GSV_HOME/repos/sam/home $HOME/clone && cat $HOME/clone/context.d/20-me.md
#> # Me

gsv skills search "restore an old version" | tail -n +2 | head -n 1
#> versions …
gsv skills create release --description "How a release is made here"
#> wrote /home/sam/skills.d/release.md
gsv skills validate
#> 5 skills are valid
gsv repo list
#> REPO … KIND … HEAD … PATH
#> friday/home … home …
#> sam/home … home …
