"""Command lines of well-known programs that only look, and those next to them that change."""

import pytest

from otap.run.commands import only_reads

LOOKING = r"""
terraform fmt -check modules/storage
terraform validate
terraform state show aws_db_instance.orders | head -20
terraform -chdir=x state list
terraform providers
ssh box 'systemctl status report --no-pager | head -5'
ssh box systemctl is-active report
ssh -p 22 -o BatchMode=yes me@box "df -h"
systemctl --no-pager --user list-timers
kubectl -n x rollout status deploy/api
kubectl config current-context
docker compose -f a.yml ps
docker image ls
git branch -a
git branch --list 'feat*'
git branch --contains abc
git tag -l
git remote -v
git stash list
git reflog
git grep foo
git config --get user.name
go test ./... -count=1
go env GOPATH
cargo fmt --check
black --check src
pip freeze
python -m pip list -o
npm audit
aws --profile x s3 ls
aws iam get-role --role-name x
gcloud compute instances list --format json
gcloud --project p projects describe x
az vm show -g x -n y
gh api repos/a/b/issues --jq .[0]
curl -sS -H 'Accept: x' -o /dev/null -w '%{http_code}' https://a.example
curl -XGET https://a.example
wget -qO- https://a.example
psql -h db -U me -c 'SELECT count(*) FROM t' shop
psql -c '\dt'
sqlite3 a.db 'SELECT 1'
mysql -u me -psecret -e 'SHOW TABLES' shop
dpkg -l
ip addr
crontab -l
journalctl -u x -n 20
helm template x ./c
"""
CHANGING = r"""
terraform fmt
terraform plan -out=tf.plan
terraform plan --out tf.plan
terraform state rm x
terraform providers lock
ssh box
ssh box 'systemctl restart x'
ssh -o ProxyCommand=x box ls
ssh box 'ls > a'
kubectl rollout restart deploy/api
kubectl config use-context x
kubectl cluster-info dump --output-directory=x
docker compose up
docker image rm x
docker compose config -o a
git branch x
git branch -D x
git tag v1
git remote add a b
git stash
git reflog expire --all
git grep -O foo
git config user.name x
go env -w A=b
cargo clippy --fix
cargo fmt
black src
npm audit fix
pip install x
aws s3 rm x
aws s3api get-object --bucket b --key k out
gcloud compute instances delete list
gcloud compute instances add-tags list
gcloud compute ssh list
az vm delete -g x
az group create list
gh api repos/a/b/issues -f title=x
gh api -X DELETE repos/a/b
gh pr merge 3
curl -X POST https://a.example
curl -d a=b https://a.example
curl -o a https://a.example
curl -H 'X-HTTP-Method-Override: DELETE' https://a.example
wget https://a.example
psql -c 'DELETE FROM t'
psql -f a.sql
psql shop
sqlite3 a.db 'DROP TABLE t'
crontab -r
ip addr add 1.2.3.4 dev x
helm template x ./c --output-dir y
systemctl restart x
ls > a
"""


@pytest.mark.parametrize("line", LOOKING.strip().splitlines())
def test_a_line_that_looks(line: str) -> None:
    """Its verb reads, and no option writes."""
    assert only_reads(line)


@pytest.mark.parametrize("line", CHANGING.strip().splitlines())
def test_a_line_that_changes_something(line: str) -> None:
    """Another verb, an option that writes, or a command that is not known."""
    assert not only_reads(line)
